import base64
import xml.etree.ElementTree as ET

root = ET.parse("data/codebook.xml").getroot()
for variable in root.getchildren():
    values = variable.getchildren()
    print(variable.get("name"), len(values), ",".join(v.text for v in variable.getiterator("value")))
print(base64.encodestring(b"weights").decode("ascii").strip())
