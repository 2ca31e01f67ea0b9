"""The claim of PDF/UA-1 in the metadata of a PDF/A: WeasyPrint writes one claim for a file."""

from typing import Any  # Any: WeasyPrint has no types

CLAIM = b"""\
<rdf:Description xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" rdf:about="" pdfuaid:part="1" />\
<rdf:Description xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" \
xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#" rdf:about="">\
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">\
<pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>\
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>\
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>\
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">\
<pdfaProperty:name>part</pdfaProperty:name>\
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>\
<pdfaProperty:category>internal</pdfaProperty:category>\
<pdfaProperty:description>Part of ISO 14289 that the file conforms to</pdfaProperty:description>\
</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"""
END = b"</rdf:RDF>"


def claim(document: Any) -> None:  # noqa: ANN401  WeasyPrint has no types
    """Have a document that WeasyPrint laid out claim PDF/UA-1 too, with the schema that PDF/A asks of such a claim."""
    metadata = document.metadata
    rdf = metadata.generate_rdf_metadata
    metadata.generate_rdf_metadata = lambda *values: rdf(*values).replace(END, CLAIM + END)
