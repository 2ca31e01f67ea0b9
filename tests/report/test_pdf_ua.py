from types import SimpleNamespace

from frtaudit.report.pdf_ua import END, claim


def test_the_claim_is_added_once_before_the_end() -> None:
    """The metadata keep what they say, and end with the claim of PDF/UA-1 and its schema."""
    metadata = SimpleNamespace(generate_rdf_metadata=lambda variant: b"<rdf:RDF>" + variant + END)
    claim(SimpleNamespace(metadata=metadata))
    said = metadata.generate_rdf_metadata(b"pdfaid").decode()
    assert said.startswith("<rdf:RDF>pdfaid<rdf:Description")
    assert said.count('pdfuaid:part="1"') == 1
    assert said.endswith(END.decode())
