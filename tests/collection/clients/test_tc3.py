"""The signature of Tencent Cloud."""

from frtaudit.collection.clients.tc3 import authorization


def test_the_published_example_gives_its_signature() -> None:
    """DescribeInstances of 2019-02-25, as Tencent Cloud's page on the signature shows it step by step."""
    header = authorization(
        secret_id="AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE",
        secret_key="Gu5t9xGARNpq86cd98joQYCN3EXAMPLE",
        service="cvm",
        host="cvm.tencentcloudapi.com",
        content_type="application/json; charset=utf-8",
        body=rb'{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}',
        moment=1551113065,
    )
    assert header == (
        "TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2019-02-25/cvm/tc3_request, "
        "SignedHeaders=content-type;host, "
        "Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168"
    )
