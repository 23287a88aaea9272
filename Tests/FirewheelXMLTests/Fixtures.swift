/// Documents as other programs write them.
enum Fixtures {
    /// Python's xml.dom.minidom.
    static let rss = """
        <?xml version="1.0" encoding="utf-8"?>
        <rss version="2.0">
        \t<channel>
        \t\t<item>
        \t\t\t<title>Neu</title>
        \t\t\t<description><![CDATA[<b>Neu</b>]]></description>
        \t\t</item>
        \t\t<item>
        \t\t\t<title>Alt</title>
        \t\t\t<description><![CDATA[<b>Alt</b>]]></description>
        \t\t</item>
        \t</channel>
        </rss>

        """

    /// Python's xml.etree.ElementTree.
    static let atom = """
        <?xml version='1.0' encoding='utf-8'?>
        <feed xmlns="http://www.w3.org/2005/Atom"><title>Grüße &amp; &lt;Co&gt;</title><entry><title>Erste</title>\
        <link href="https://example.org/1?a=1&amp;b=2" />\
        <content type="html">&lt;p class="x"&gt;Hallo&lt;/p&gt;</content></entry></feed>
        """

    /// Python's plistlib.
    static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>count</key>
        \t<integer>3</integer>
        \t<key>data</key>
        \t<data>
        \tAAE=
        \t</data>
        \t<key>name</key>
        \t<string>Zoë</string>
        \t<key>on</key>
        \t<true/>
        </dict>
        </plist>

        """

    /// Python's xmlrpc.client.
    static let rpc = """
        <?xml version='1.0'?>
        <methodCall>
        <methodName>sum</methodName>
        <params>
        <param>
        <value><int>1</int></value>
        </param>
        <param>
        <value><string>ä</string></value>
        </param>
        <param>
        <value><array><data>
        <value><boolean>1</boolean></value>
        </data></array></value>
        </param>
        </params>
        </methodCall>

        """

    /// In the style of potrace.
    static let svg = """
        <?xml version="1.0" encoding="UTF-8" standalone="no"?>
        <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 20010904//EN"
          "http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd">
        <svg version="1.0" xmlns="http://www.w3.org/2000/svg" width="4px" height="4px" viewBox="0 0 4 4" preserveAspectRatio="xMidYMid meet">
        <g id="background" fill="#000000">
        <path fill="#ff0000" stroke="none" d="M1.5 0.5 l1 0 0 1 -1 0 z"/>
        </g>
        </svg>

        """

    /// In the style of an XHTML 1.0 page: a character of the DTD that nobody loads, a style sheet and a comment.
    static let xhtml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <?xml-stylesheet type="text/css" href="a.css"?>
        <!-- saved - not twice -->
        <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
        <html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>T</title></head>
        <body><p title="a &amp; &lt;b">x&nbsp;y &#233;<br/></p></body></html>
        """

    /// A SOAP 1.1 fault, as servers of the .NET framework answer.
    static let soap = """
        <?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body><soap:Fault>\
        <faultcode>soap:Client</faultcode><faultstring>Server did not recognize the value of HTTP Header SOAPAction: .</faultstring>\
        <detail /></soap:Fault></soap:Body></soap:Envelope>
        """

    static let all = [rss, atom, propertyList, rpc, svg, xhtml, soap]
}
