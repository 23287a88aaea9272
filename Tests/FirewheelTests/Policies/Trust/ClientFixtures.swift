import Foundation

@testable import Firewheel

/// A client certificate and its key in the forms that files have. All encrypted ones have the passphrase "sesame", unless they say
/// otherwise. Made with the openssl command.
enum ClientFixtures {
    /// Of CN=alice, signed by ``authority``.
    static let certificate =
        """
        -----BEGIN CERTIFICATE-----
        MIIBhjCCAS2gAwIBAgIUMvFFwp/j9mW7hCASGQ007dFaDcgwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRRml4dHVyZSBBdXRob3JpdHkwIBcNMjYxMTI4MTUwOTU0WhgP
        MjEyNjExMDQxNTA5NTRaMBAxDjAMBgNVBAMMBWFsaWNlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAEbyOoBPSk02r/BPdunnkUoR2ynVbRVNrPFQDJAuG190kt7gvH
        K4azeT04c1+mNLOQED2Fq+h4jSMq7jLlyNWdWKNXMFUwEwYDVR0lBAwwCgYIKwYB
        BQUHAwIwHQYDVR0OBBYEFOnyIdI9nY2Qm0MdyrXEN9bWkD1zMB8GA1UdIwQYMBaA
        FKbpVOxBoBdvFisnHoiogbvWF8UtMAoGCCqGSM49BAMCA0cAMEQCICorAdaBDcP1
        Bi9+xpyE21vRP8rVqN4iCuAZrN7UyRwmAiAuGmx3xjwwGNAOC3ww2xXT8KDuctUO
        2DOiZyyORAiO5g==
        -----END CERTIFICATE-----
        """

    /// ``certificate`` and ``key``.
    static func identity() throws -> ClientIdentity { try ClientIdentity(certificates: Data(certificate.utf8), key: Data(key.utf8)) }

    /// CN=Fixture Authority.
    static let authority =
        """
        -----BEGIN CERTIFICATE-----
        MIIBjzCCATWgAwIBAgIUcIlCLjhOKWGnqA0nxpTU5A2XHMYwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRRml4dHVyZSBBdXRob3JpdHkwIBcNMjYxMTI4MTUwOTU0WhgP
        MjEyNjExMDQxNTA5NTRaMBwxGjAYBgNVBAMMEUZpeHR1cmUgQXV0aG9yaXR5MFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZq5xsbl4jXFHs4Nmpt3WCECFVRdY9C5+
        hfjcYYZYD58DwFde5sXohVMVsYJ27ibhZGu0b7u4rYKBGoywl/JzhKNTMFEwHQYD
        VR0OBBYEFKbpVOxBoBdvFisnHoiogbvWF8UtMB8GA1UdIwQYMBaAFKbpVOxBoBdv
        FisnHoiogbvWF8UtMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIh
        ANeL6Y2GlwiQIEgmJm/c2aS9Q7cOKpilPwV1v1d3ndlOAiACYm9LyyQmzcSBXtCr
        oICsVkMm6kdnETtv1N6dZRKbKQ==
        -----END CERTIFICATE-----
        """

    /// PKCS#8, not encrypted.
    static let key =
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghVOAV7jUNBmbLs6A
        ytTqyK/MX4/siY8tuS1ynYdiPp6hRANCAARvI6gE9KTTav8E926eeRShHbKdVtFU
        2s8VAMkC4bX3SS3uC8crhrN5PThzX6Y0s5AQPYWr6HiNIyruMuXI1Z1Y
        -----END PRIVATE KEY-----
        """

    /// Of nobody.
    static let otherKey =
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguya7n8LZ8VHHH8C6
        2WV3Jpn9Xyu/1tWNF04lZySGALWhRANCAATEPQtNhLpia64XKNovYWQHM3SGRRQ6
        QICkk5XQcAVj8d1F3zjJGOmHmBbBkFfb2tkWMRFwvjbcZCLbMWD28cpY
        -----END PRIVATE KEY-----
        """

    /// As OpenSSL wrote it before version 3, behind its parameters.
    static let traditionalKey =
        """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIIVTgFe41DQZmy7OgMrU6sivzF+P7ImPLbktcp2HYj6eoAoGCCqGSM49
        AwEHoUQDQgAEbyOoBPSk02r/BPdunnkUoR2ynVbRVNrPFQDJAuG190kt7gvHK4az
        eT04c1+mNLOQED2Fq+h4jSMq7jLlyNWdWA==
        -----END EC PRIVATE KEY-----
        """

    /// PKCS#8 with AES-256.
    static let encryptedKey =
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjKqsWlmFmy+gICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJkUiDmS6uMdBF22VBtmj/EEgZBU
        dLJcWARYgR9lKVS/49XQgu3v5epX7kkMT1zJIyr5MDtAzLqqKqkiUE3bDdtAOzqR
        Sgih0Ly6BH8Jer4eQZkNUtUMglIWr2x3abCKpRQAH6AKWg/RX2x45oNWxxC/QNzO
        wY87MKJsfR/P73LWhgYJlbE39D25ewE2DZVGDUelDhgQzg1eHftwwKFIHRz1Q1o=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// With its own headers for the encryption (RFC 1421).
    static let encryptedTraditionalKey =
        """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,5CE64341E7F3FDD4A0E705E6242A104D

        wm6RYNPcyrzyuPKay3e2UkH1loZz2ysL3WrlcYj5oc9CwcGL06I8rMlFk70aTpBx
        1mbfrGlZ0iUg0JwvpAHrrxgXrCgdoEYDjBW1kHj30X6Na7zqU+NHntme7o7qiGFr
        pJfzgK/BblWV3um107EmZpHOydfgw3LwQgMWNYoghGE=
        -----END EC PRIVATE KEY-----
        """

    /// PKCS#8 with RC2, which only the legacy provider of OpenSSL has.
    static let keyWithRC2 =
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGxMBwGCiqGSIb3DQEMAQYwDgQItiLvUtaoBcwCAggABIGQIHv3p3GLVLYJMiwj
        1ZPf3AKQLztSN2gcOiptzn1c4fH1YInUx33xFY8OP8meAaLpCDJm2PSePHFt0CZw
        iyRtIGRA1Hp782dZ6ctrLCsk3lCXlpm/Qk4GsG93PNwRfQiESfDyxZjZ6U91/vWa
        QWqrTxMLvNKyt27bumS2xhV228G+RNZLT7Nfu4fnh9J40MCD
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// PKCS#8.
    static let keyInDER: Data = data(
        """
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghVOAV7jUNBmbLs6AytTqyK/MX4/siY8tuS1ynYdiPp6hRANCAARv
        I6gE9KTTav8E926eeRShHbKdVtFU2s8VAMkC4bX3SS3uC8crhrN5PThzX6Y0s5AQPYWr6HiNIyruMuXI1Z1Y
        """)

    /// RFC 5915.
    static let traditionalKeyInDER: Data = data(
        """
        MHcCAQEEIIVTgFe41DQZmy7OgMrU6sivzF+P7ImPLbktcp2HYj6eoAoGCCqGSM49AwEHoUQDQgAEbyOoBPSk02r/BPdunnkUoR2y
        nVbRVNrPFQDJAuG190kt7gvHK4azeT04c1+mNLOQED2Fq+h4jSMq7jLlyNWdWA==
        """)

    /// PKCS#8 with AES-256.
    static let encryptedKeyInDER: Data = data(
        """
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAitJkxvvEaXQgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoE
        EGCZZR7Th0XQ3DR8md0rPG0EgZBEyUrbskgF87WY8z8oGJMk7QQU6d4DkHhts+H3o2uh23hlSOjoFZTIju/X8XrHrUBaBotITr7f
        u368dgF12x5bdWNJUt/ddLMmiVk7OrpXdzb9uOpXunODjyk0W3te/nN9iabmMwukQHEIZQWoJXqnNa0X1za0S1a9YI/H45eSWRXC
        g7WPznh5EL4hgYM5yzU=
        """)

    /// PKCS#12 with the authority.
    static let container: Data = data(
        """
        MIIF3AIBAzCCBZIGCSqGSIb3DQEHAaCCBYMEggV/MIIFezCCBDIGCSqGSIb3DQEHBqCCBCMwggQfAgEAMIIEGAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhvU1mepGvvMAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENkd
        ocp7InVZpSkEK3eUuoeAggOwU7OVNSCGlUthCs0SaLQnIRlb2hCXjWj2cgl7ZShOdeLBu/RcKYx9I077dEoEWeT0qJKvvWfOTUpo
        wcb7T1MRtX5t8vnVak6s7p7YY7H/awXQron5h48Ud4kUa7OlPO2CH5fJetft1KMj38h50e13EbSN5SjuKDW2u+arjYG7qRZN3n7/
        FJP9/S8OSSkEdLt9BfSQDnIQSTdjwnCZkGPJLYMyqIyVM5Dg+QWsx3urS4aPwKWMt+uS7Lp+rPmQ12grNqIQ0vWMs/+mcTB1uyBL
        II4dFB/SO1vEJV+6PMCHcY+T08iH4gp1Rev+pUhthiG4w7y30KtbtB+5XJP5cka48sjQRmajvGL3xxApZJqjjdsM5WBUHFIVmOXS
        jxATMHSCjdqnDzDdB6asanp2gpOP6lg402bmdcX6wGBNlHgHmyCLZC7i+wFbFNNHS6qX62GYVywGE9oD3w1x+oUkWKZdVY5yEKRy
        MCLR/TtU/5ra0b98dIC3F6Ha+nVewOfbe8+PSITGR0o5eHennhk5iAwLhaqLsrQV1Tt5wXsUeadqMOShPgVNT2SspS4lgHdiJhi7
        Yz41OpXakvNO1IqdvGUlU6tmyGzkdAiLr/ozNvfeiFLfSi1DxEhwXigEEDhwpVyplXH8+OtaZARjHOSaBa6NF1GA2PBZNqc+so1a
        KyfCVKKoyyDp5Yoolh/fkRu2tRUGsnXzX7XtIproIvadeZW2iifcCjGPIs+wjDWJU7S5Oo4+i3t5za+CdTy6OfHMwbbvk42xXfl9
        Yeflt8s9iNmVAwsChu78vYu2hs0vjHc+WaqrisT6y7m8vAYPgXjNSiFHUC1Nob6B3H0ySkIgKATtbbf4DCArSlbBoEqmzLt1aHlz
        j4Vr0JwfLdS8bTVhmxGZB+YYA8DT/uxO7gQNsdivB+mNy+QBcoQ6+cmyU4LQ/XckRBUhwPSmf9/ZmZELpcflSp9wDsqq1UPCMmHt
        rmMU5ICPg1I7BNxnvXLl417wifY7iDWBdpQyItK3bsXB4pp/9fpI3aR1byreMi/B3yiaUwZyyEGvOOIoi/XUHAKczWx4e/1E/elz
        pORlKhW8HILrtJstMYYsImzcZLAA78OFB0YwSK0QxWvxujJlp3JqcC3X1Fy2hs9QFNCkd4hFRxxWCMNKz/R/aHFxfSraJPWifeBB
        /Dyl+23B/k218U7HyPRwdF/JtyP20g50YfclyB5VuYJtohOS51+2PKfqTMcMUOs2fNzu9NMuFsFM82O0p8swggFBBgkqhkiG9w0B
        BwGgggEyBIIBLjCCASowggEmBgsqhkiG9w0BDAoBAqCB7zCB7DBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIyriw95mZ
        9mgCAggAMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBCFBH7YndcFGN51esP2t0QTBIGQszGCSwXiTJSz1bSWdJ6EPDXYPfd8
        Svi2fBdTYepAPY30ERtnLXNfTnHd7+2EONBuVx0TXsF4AJTJUeZSFQWnJhho4jOQGBfNOdBAQ5idTXjSi/fqKkKs1nyKEDmeaMKv
        ePayouojbjzrZxeR6IAgJbXNUAyLaV49D76igXZApld4NicErbirSN2wzmkLoFZfMSUwIwYJKoZIhvcNAQkVMRYEFB/MZ8Nsy6Lo
        8veizSOyJP/MV9NMMEEwMTANBglghkgBZQMEAgEFAAQgA/XL0NHP3a4fwnawpDWqT9K7VwhCkBPlA09p35nYHVUECO0zz/1GkX+i
        AgIIAA==
        """)

    /// PKCS#12 with RC2 and the authority.
    static let oldContainer: Data = data(
        """
        MIIFSgIBAzCCBRAGCSqGSIb3DQEHAaCCBQEEggT9MIIE+TCCA+8GCSqGSIb3DQEHBqCCA+AwggPcAgEAMIID1QYJKoZIhvcNAQcB
        MBwGCiqGSIb3DQEMAQYwDgQIWOwZp15GCxoCAggAgIIDqJHJGiq+NVMyhi3pZETAYE7v24svwZp0BEDmzpHz0wAZW36EFdXwwfas
        5AAQSnt19x7Sns1uWiryxBArbTDjXp08Ci6gvJ0jnn3Fzg46LW68+qQlzH8BRxd43KRIED0dOUzJkyp3SAcvUlZlYLXaH7x4Oe9Q
        ady+DOdXJosQv4kIEnMnwdOnXXuF2Q8N39R3NHNIPVl5JY75Os1axDdZhWR/fJIq/+XTedr2682Xr1oC7h4rdlcO7/uQYy16Yn+W
        5XqiSIbvrkv8QKmXjKic3tku2Mu6tlbzQGkZcOk2xZGYMFNd51VVK//S3K011x6qz8BLHMgD3vM9hlqdSxHByZxzXkLzKi1nfNzA
        O7JrwoysIQzQasWMfk/vn2HtdTp1X+yr6hJcvClFqhDaBoN8sY+W0gpYxrWr2f9Tao5EZkly3lWdaLdB63mL7lxXm5SwqHA6yxFg
        yZmpU5/zV91pKaM6Yf7rrr/KiBuis+e8sa37QU/7TC1Vz7KSdOtDZ4tXMNrJaEpsa7aCrk0ANCVa5aSWksvHuN5z+qELfkBBqcoi
        0Vrk+ySnDP077hZkUeVZyZSFhX1u32dGrYv3CEJqBRfTFi1EboCOsagyLGBiSdJeoZd7s7vFSZuCexqUmTbtuPQwEhwF0tPPMHrY
        b95Lk7eSLkHQMV/IjM2Ns8Ubd11odcFMcbRJw360Gil5Qa6IVFn0204vsHH3o/vZ280ni34sbDsGhZ3L+AGVTHjjn9PPT+TYKGCc
        rOil6Ly/l3L2y4tRyZe+Ee+a+cWJljc9sheyfULhJXW1f+t/XuAvly0g88j0PSnKLz9y1k7Y8VaqYvceBl25+pu/tbLDcbLqtlPb
        /AW+Sy44tQfdJzg4ZW2ruKisPLqdQDjK7soDARGKXNncj5pabl3wTyWxXUWkVmPIxA1MRJJwl9oM9M8k+gJu+2Fd9iK4v+M4Oy7M
        /MPj716GoyAXj3QRmO4ASHKCvExN52lZ3E+sgbm+CbpP0JykdxkiQTWi/3zEYZx1r5QT3WM2W6T9UeNxNOad5X3UP3CEG83UzpzA
        3yQralhz1y92nbFNtsxe2a/UC+zqfS8P8eGIxBFQtila6JIPqLRvzWEomtKXMnY6rzdp9imxGuTIMXELs438oIljhUUM+djvCIK3
        mpPODva904ZROpbL7PbfQiYCHeK2zLc52CTyykVTNOd221ot78ODTeaeZ1lhzquOQLnCsXsKlTZQmgBNVjwIF1Kw0ToqqTCCAQIG
        CSqGSIb3DQEHAaCB9ASB8TCB7jCB6wYLKoZIhvcNAQwKAQKggbQwgbEwHAYKKoZIhvcNAQwBAzAOBAhA09sH6JS4GgICCAAEgZCC
        Wgs2bURaN4rGiHMoizYx/ZZlt8GcQJm2YpMpIQ2kSx5DmK0KrvmJC1PcaEYL5miCxhbxkSQuJZFp7h8amZAvvht/fKcMMNPKEIp8
        npN9yhkV9Xog63ibPrIJ6uJWwlFk9w83ahTZx3HrjDoYR/TWxuS/4cmQeWfnHHhap3Ogreiqh8551LKf2NZxRLz2YiYxJTAjBgkq
        hkiG9w0BCRUxFgQUH8xnw2zLoujy96LNI7Ik/8xX00wwMTAhMAkGBSsOAwIaBQAEFNNzW5wEG3tnCf3aWpYN6weYJC9DBAh/dzZU
        fYu/UgICCAA=
        """)

    /// PKCS#12.
    static let containerWithEmptyPassphrase: Data = data(
        """
        MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjIaQENZB1EHgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEOl3
        u8hh9iqI+OJUYMZ6zvOAggHwMr9oiNgw/bt3sIqx5gQMf+aS5iAGvb7C9OE9NDuydk+LXRPIG7DC2bHdfRO7sAZZTAoD13BbklY+
        WbqCqW9+oX10Q1EaRmQZ3QkO4CVR3ZdGlq9xK2dP9+mp5Qaw6HcVrRxSOaqXBPcIGLs+OkEWHCgF42qy7GxykvDTdK2pIr/qbUfD
        FuyISOhMnGB/efAJnA3V1ggczbsSJgYa34PM9KLgy8sFulTW7qq38P+BePKT7d9f9A4Nr2ktmO1F879hzOsjh6Y/MlTCbtq5dbW+
        pf45vsTKqVMRG/TihBxJ9vR76Ucf6A2/vd08bSsX64zkMvIbuK+7PwNK4QbU4SgsvkeTQd+tDKUUDSPZTWhaz7bDaydXVqwoP/O3
        2d6cXI+QBnZbZrQayjRLr+ZQiTOGNGdt2H29Hsm4MLWOt0yv3uTERzcn+0ThusX88CgArwPoTVvTffOhPYO58ZRnPouFZMwc5Xsb
        znTa5vj32wueRtf9mkBAa2PB+fzvY3qGHNMEianCxAYKS+nOeUQ8C/WNyFiByWVUqaIgXC0R9PyrudXW38F1y33bX9uq+jOJ5+Lk
        eHgQHE5VOydRtRzFw47+zrpmGjHW6YTgOgcbycxrHymYOeMag+4EaASJGUT2TxvgYsFXDZ0tjYkNk7ldUPHIDjCCAUEGCSqGSIb3
        DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiF/kRI
        /OonfgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEOfb9RgO//oj6rk1Gup0zjoEgZDcBg+qJ2/Vsu/LknkvO0qitrHY
        keM6s9ONvDEGpFdrhN4VOCuQuSLPFrEbzpf8xlri7mXFnwxWUdz7qurAvTxEPc4EApgHQ/tzrjQjYuiSNwFbCQ7uYgFqCBcLbR6Z
        Lk7wjy9rqUITlGyBhtaUm4rM6mpUVTRKXw13QFEiJuAUWOMHMZTFURMqpMKVc6+MwUgxJTAjBgkqhkiG9w0BCRUxFgQUH8xnw2zL
        oujy96LNI7Ik/8xX00wwQTAxMA0GCWCGSAFlAwQCAQUABCCjmiJMkF6m/p1dwBffN2R5BqQaFfXOFEFFCW/o1HMeYAQIGk1gQMSu
        fqECAggA
        """)

    /// PKCS#12 with the passphrase "pässwörd €".
    static let containerWithWords: Data = data(
        """
        MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjO2m7vzMF3HQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENQZ
        We3TVFRUwX1GTzGZDEGAggHw12L5n4PLJFPieHG5028JsdBkX0pzagq2d4K/WEmXen2eb5G0GupxDZZB1iXqwewFrXO8tvCAx4vK
        KhXP1dSfYg8mW8fNW6c9mhQNUCfFmO5jKazCLbcK942O3sBQPfcpge8+2ENHJTEQiSXjqIZHKCLofdzGUu3NO+WIPnWGh5eKE+7/
        1gJtunSvDGWy5b1YHnjo7cAXFTDKV7obyMND9UsNx/aP7fJjivfReH2CB/8h3LxV2y2Td/ttIgvw4Jm6qKvU+bFv6aGGzEW0y4zt
        /0OBCvD8r8rGasDC5F//WhZ3Yf/km63hSaZFdY1HbTKtk/rRYkIkBZ5TPbQW3CLo5W90N7IhPp8JytZgGT8/xtcCpQy7WknGBQ0t
        kN2GbXjlMoZk4BakVzGnfCpL6siKyk7U7ARJGnDioHUszusXG6RrhSSfps3QTmUk3U+2bwjztehH31PXxdFtD/uzIGksPC+ZI5K8
        /yqc0ZfL8BQgT9VgRoGElbmoplfVzUuBnPURdPPuJiuI+3npT09MC0igytVspL8nMpbpWIIxDEYUEYa/jZfiTXR0haPinAU03091
        wxxTuSSWJs9bb6STZ3Z9RF/O4iFnuxZmexWBNq24h5BqPmYaXkvk319AwLbSsM+TY/i9uzzd3HP0qMXIX06rYzCCAUEGCSqGSIb3
        DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhZvNae
        ARS3lwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEOK8w5sldTJkLeC6VHW1ktcEgZBjYquif8orM4NmlSYNlFQQZOg/
        Sm1D99QP4yq5BgxQ/Q/cwWMnOTdzGP23fsDwoVWb3JoKDKskfUdZo1E57RqUMsYpLa+oukdGa7fRltTdkAsBD0Gjs7w/gv2TOm8b
        bX12Iii3b8Ovx+vPgLUjCzuFUS79CRHyk5EIVQu6TXkPZcVlgW+TSIo2khCItSj2+9wxJTAjBgkqhkiG9w0BCRUxFgQUH8xnw2zL
        oujy96LNI7Ik/8xX00wwQTAxMA0GCWCGSAFlAwQCAQUABCCL086Q2UaXX9xlwmD3XvX8Upg5WQseUDVV1/luZW2+KAQIi5Ftpjpe
        xZoCAggA
        """)

    /// PKCS#12.
    static let containerWithoutKey: Data = data(
        """
        MIICpwIBAzCCAl0GCSqGSIb3DQEHAaCCAk4EggJKMIICRjCCAkIGCSqGSIb3DQEHBqCCAjMwggIvAgEAMIICKAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgT4/MC8tVHwgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEM4+
        q07/defa+AQQ+5yItsuAggHAPm51DrmwSLxhT33Z9Bu6YndA8s4wlg4WXaRkUPrKqlJ2YxF/1k2Rspcp1QAsB2uShgmLLZhbuGwb
        LtB2W97DUtO09xxa6PrNI8lySD7fuUcHjihHRCmts3c9rPAHZ+KXOdsNhciE55jpTE99d4gNAYWeKMm2i8FymLBFJgSmSYttgzFy
        gjObmqqL1Xy52y8sluMKGrwwVXhatEAoG0NRviNwaoOZAcpGCOD+JyGlfpUqpFl5L7Zxwt13sbxBz2tVj70qjpwGhB2TnkuJxEQE
        HYE+HVLfw0t7badqkHkzXMRvwMfzL964nGSdU6BxbMWvAQdoYQoKuo99kjebhkqCXE9C/ZXJP9zo5ydziOBWTCuWLqP+QC95yAuU
        S/9s8PjXR0cIjtf/2TDf5ZYIzKoIRqyWazeY19RUsqpkcK4zGH9rCo1AIB75e54Oh1JAO7VKDuBv/13SBjNjxpedDctMlgTznbBO
        EJqUPgiALFI0FYz65HdzcQukFfXtVP8t8R8cRvnhZ0cGxOMk8HSM6rV/wK248rhbljRvcVj1GZI1xoe93ZLeP7eofRECBzWf5mKo
        lze38Cwmk2mobFALJTrr9DBBMDEwDQYJYIZIAWUDBAIBBQAEIIeJl06tUkQ/f88ymPA8izGmBRzz3mna7V8gEWHavrRxBAgTVcLt
        TA6BmwICCAA=
        """)

    /// PKCS#12.
    static let containerWithoutCertificate: Data = data(
        """
        MIIBfgIBAzCCATQGCSqGSIb3DQEHAaCCASUEggEhMIIBHTCCARkGCSqGSIb3DQEHAaCCAQoEggEGMIIBAjCB/wYLKoZIhvcNAQwK
        AQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECPUHsma5VJExAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFl
        AwQBKgQQyEdtJwlhLesmn9RGGeEloQSBkPap70d+Kx31Iua9BHEheU/dZEjLgowziV6Kcg1q0SbjJNt9gJABpZBl5NgepcpAW20X
        wDQ81QzljZaCgmmPjfdBXJAkgTXiiMyTlZc2wEKw+l75KeaamQTjCwZh7lhLJKwM81Ngf+KWxAcUdsYGkrdpjzAX+Isv5ow6VZmG
        ybGyM3toZ0/6Opt82JOhrSlPkzBBMDEwDQYJYIZIAWUDBAIBBQAEIJ/YCK7H2U5CzHPZ5kYLNeXtOMYsF0f96iTbxdw7v+YsBAiL
        VLGvTNL5UAICCAA=
        """)

    /// PKCS#8 in DER, for which the passphrase has to be hashed six million times.
    static let costlyKey: Data = data(
        """
        MIHtMFgGCSqGSIb3DQEFDTBLMCoGCSqGSIb3DQEFDDAdBAjnz5dF8BL/KwIDW42AMAwGCCqGSIb3
        DQIJBQAwHQYJYIZIAWUDBAEqBBCyWAjPONn6EgcPYwgfm7jSBIGQbUMSsYqTgCFYpzGhv6qYJ5Vy
        zEK7ZzbaytDZvV67JAIsfwCtwGSUw3BHfbixvcGE6lIpqeCu9f56FHhY+3gJDEkiJ/sB4rRjFPwz
        2cpe7bAbeVku6aptLYM1K0LQQ/PkQ2fzmnmOxemwfRn6TmOicj4Iys/xrzfg6HcdGZ/CXBMlVOY5
        pxfql4ZDg23MDrVP
        """)

    /// The same with scrypt, 16384 × 8 × 40.
    static let costlyKeyWithScrypt: Data = data(
        """
        MIHkME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAg1+gefO8jgUwICQAACAQgCASgwHQYJ
        YIZIAWUDBAEqBBBPRi8i5ZGr5o4GAQnPXY0rBIGQLAgw2kIY6FXxfwOzeItH5LYOuzNyQG+Uhs8h
        FqQ7eqA+cgBoWTgEADi74fHupISt0yPwPih6Nfxv7LE++0UuIMxPqcWJqbZdWvXhMYDMMWGLOwjW
        T0uISef6CTxLGMiSa0qJQ+tS1gY/Vvlcv9GgPBLiFo16O5vOoqGzLPsaqbpWcAkOkUJXRnYHdA3s
        D78N
        """)

    /// Six million rounds for the container's code, and no encryption.
    static let containerWithCostlyCode: Data = data(
        """
        MIIDNgIBAzCCAusGCSqGSIb3DQEHAaCCAtwEggLYMIIC1DCCAfUGCSqGSIb3DQEHAaCCAeYEggHi
        MIIB3jCCAdoGCyqGSIb3DQEMCgEDoIIBojCCAZ4GCiqGSIb3DQEJFgGgggGOBIIBijCCAYYwggEt
        oAMCAQICFDLxRcKf4/Zlu4QgEhkNNO3RWg3IMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMMEUZpeHR1
        cmUgQXV0aG9yaXR5MCAXDTI2MTEyODE1MDk1NFoYDzIxMjYxMTA0MTUwOTU0WjAQMQ4wDAYDVQQD
        DAVhbGljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABG8jqAT0pNNq/wT3bp55FKEdsp1W0VTa
        zxUAyQLhtfdJLe4LxyuGs3k9OHNfpjSzkBA9havoeI0jKu4y5cjVnVijVzBVMBMGA1UdJQQMMAoG
        CCsGAQUFBwMCMB0GA1UdDgQWBBTp8iHSPZ2NkJtDHcq1xDfW1pA9czAfBgNVHSMEGDAWgBSm6VTs
        QaAXbxYrJx6IqIG71hfFLTAKBggqhkjOPQQDAgNHADBEAiAqKwHWgQ3D9QYvfsachNtb0T/K1aje
        IgrgGaze1MkcJgIgLhpsd8Y8MBjQDgt8MNsV0/Cg7nLVDtgzomcsjkQIjuYxJTAjBgkqhkiG9w0B
        CRUxFgQUH8xnw2zLoujy96LNI7Ik/8xX00wwgdgGCSqGSIb3DQEHAaCBygSBxzCBxDCBwQYLKoZI
        hvcNAQwKAQGggYowgYcCAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEbTBrAgEBBCCFU4BXuNQ0GZsu
        zoDK1OrIr8xfj+yJjy25LXKdh2I+nqFEA0IABG8jqAT0pNNq/wT3bp55FKEdsp1W0VTazxUAyQLh
        tfdJLe4LxyuGs3k9OHNfpjSzkBA9havoeI0jKu4y5cjVnVgxJTAjBgkqhkiG9w0BCRUxFgQUH8xn
        w2zLoujy96LNI7Ik/8xX00wwQjAxMA0GCWCGSAFlAwQCAQUABCCxm59p8RpYsBTZSAytRFkXJ/sC
        0j0aaZtdZRbO5cBvigQImQx2LK6iZ+YCA1uNgA==
        """)

    /// Six million rounds for the key.
    static let containerWithCostlyKey: Data = data(
        """
        MIIDnAIBAzCCA1YGCSqGSIb3DQEHAaCCA0cEggNDMIIDPzCCAfUGCSqGSIb3DQEHAaCCAeYEggHi
        MIIB3jCCAdoGCyqGSIb3DQEMCgEDoIIBojCCAZ4GCiqGSIb3DQEJFgGgggGOBIIBijCCAYYwggEt
        oAMCAQICFDLxRcKf4/Zlu4QgEhkNNO3RWg3IMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMMEUZpeHR1
        cmUgQXV0aG9yaXR5MCAXDTI2MTEyODE1MDk1NFoYDzIxMjYxMTA0MTUwOTU0WjAQMQ4wDAYDVQQD
        DAVhbGljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABG8jqAT0pNNq/wT3bp55FKEdsp1W0VTa
        zxUAyQLhtfdJLe4LxyuGs3k9OHNfpjSzkBA9havoeI0jKu4y5cjVnVijVzBVMBMGA1UdJQQMMAoG
        CCsGAQUFBwMCMB0GA1UdDgQWBBTp8iHSPZ2NkJtDHcq1xDfW1pA9czAfBgNVHSMEGDAWgBSm6VTs
        QaAXbxYrJx6IqIG71hfFLTAKBggqhkjOPQQDAgNHADBEAiAqKwHWgQ3D9QYvfsachNtb0T/K1aje
        IgrgGaze1MkcJgIgLhpsd8Y8MBjQDgt8MNsV0/Cg7nLVDtgzomcsjkQIjuYxJTAjBgkqhkiG9w0B
        CRUxFgQUH8xnw2zLoujy96LNI7Ik/8xX00wwggFCBgkqhkiG9w0BBwGgggEzBIIBLzCCASswggEn
        BgsqhkiG9w0BDAoBAqCB8DCB7TBYBgkqhkiG9w0BBQ0wSzAqBgkqhkiG9w0BBQwwHQQIc08XIJKG
        X7gCA1uNgDAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQ6XdxBVSD3o5dcg+hg2siAwSBkJVI
        1ML9RfDrRqZdPjMs3ayv8XOUTdj42MrWMWu2F5vinsN/4hE25YXDYrzQ+YaTki5R6I2F5ycPRMCF
        NR7k6paDByetA9BB57tjiXjMqYmunWEv+JGIy50NbL5+z9+BliINvss+9uyiSrN8awp3xu3MBVSF
        J/+v8kIDy/N78vg5R7KGx5sR1cbeQQMtzX5F8DElMCMGCSqGSIb3DQEJFTEWBBQfzGfDbMui6PL3
        os0jsiT/zFfTTDA9MDEwDQYJYIZIAWUDBAIBBQAEIIgd944RH/leVeC9ZyZkAVkmvrhKqI1cdxhy
        wOarCeIyBAjRQ/HcSTOIKg==
        """)

    /// Six million rounds for the certificate.
    static let containerWithCostlyCertificate: Data = data(
        """
        MIIDrwIBAzCCA2kGCSqGSIb3DQEHAaCCA1oEggNWMIIDUjCCAnMGCSqGSIb3DQEHBqCCAmQwggJg
        AgEAMIICWQYJKoZIhvcNAQcBMFgGCSqGSIb3DQEFDTBLMCoGCSqGSIb3DQEFDDAdBAh+dL5g5pye
        2wIDW42AMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBABQgaxduhD9H0OT9XnTElXgIIB8Ank
        LlzeP4nE++jK+FuO29k1e/4FD1S07VuW1gp71TV0kPpGn9/mfamn0IM+HtLvOcdcgubEuToHlWoo
        Y9Cy4v752vxQmvGiT28SD0cOAGm2yXZM4pZt2GYeG2Eq7FWs8q7Wf8q30WO1QXbj7JOnOKGF90nb
        3/NvwxzTIq5eUVUpz4ieoWdGuae7I679WAITwn2DhY9AYifxn/+/w+7iHIUXDZ+ifkLV33aV/kfe
        EqIBI2k38Bnm5YCTpL1PKP6vuE3gP+ldAuqwn4j+Z+xG1uIrDN9vfE7SL/fxbyh2eSKOO2jyDlyV
        e3JJ3shLhHfztR1Ymm+eDg7/rCBywol6F3cL54D0Ha1NBzv5l3D9nqn8wr4xYbDXzrLfQZmq3xgC
        KnFYmxanQDX9CoUwCH6SDwXoQEWOkt6AjBJpNfJX52X96tCqA5lve6cy7uhFd+NwRBtEKxjxu2I2
        slYy3IGJPymJi3DOaNHOGl3mCS0vCShE4Z96p6LXbEwt7uxUmmJK9/zJCmAob9Rug1wO5jcLsvDR
        iAIox+dqv2q08WWJcU44tzsDYE7LZbpanYBehgVHdshupIKobYO3nLGbZyJuZFis2fUJwm3cMqca
        phA8kwc94Xt3ASEOAQOWnARcqbAJQYo/zlgIHUXfx0PjoOFuiQQwgdgGCSqGSIb3DQEHAaCBygSB
        xzCBxDCBwQYLKoZIhvcNAQwKAQGggYowgYcCAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEbTBrAgEB
        BCCFU4BXuNQ0GZsuzoDK1OrIr8xfj+yJjy25LXKdh2I+nqFEA0IABG8jqAT0pNNq/wT3bp55FKEd
        sp1W0VTazxUAyQLhtfdJLe4LxyuGs3k9OHNfpjSzkBA9havoeI0jKu4y5cjVnVgxJTAjBgkqhkiG
        9w0BCRUxFgQUH8xnw2zLoujy96LNI7Ik/8xX00wwPTAxMA0GCWCGSAFlAwQCAQUABCBIaJetxIzY
        wchNKsePz/ucj9y0NUIHAAE9nOEHT3p0EgQIjqOKgBR8sQU=
        """)

    /// Six million rounds for the key, which is inside an encrypted safe.
    static let containerWithCostlyKeyInside: Data = data(
        """
        MIIDpwIBAzCCA10GCSqGSIb3DQEHAaCCA04EggNKMIIDRjCCA0IGCSqGSIb3DQEHBqCCAzMwggMv
        AgEAMIIDKAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiOSLpdUo6A
        UgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJxaYEWb5AGM4YgxPS5EuoKAggLA2E+C
        s3Obu40aPYgfHLqUI90n2sYadhzGcginSSj0VUB3+8E0WIu/Y9lhwa3F9PFbx6TQ2onIa3al13Mm
        av8ETidJUDJ7LN1iU50Zyn6eFion6WDlVZdAifAAAuKQ3lH5np1oAASRbEO9ujMR47unlRIb8Mhu
        7nGcg6QN46myCISaW38K+4q9WBakz5Vj31h6iprlV/TGuOqgwtrLW2NpvRNfGUb+ISuAmsKygpfH
        SS1wbyIxRQPNWOE457uCtbOx0jiKi/paUMDy5elY7exn8GokYho/PQL4NcZsWpjruAM1PTQdqNxQ
        YwfXh91Pl4PYeF8CgDFyZwZWRPWyvgMuSvCZJ66zjp6eEVUK7BtuYYJ1SbrOYunFtXTcnzu9+f4j
        1sA0EAl4TK598zTlbp6YYeVB++i/B1CjUvnxGBDbqkojADUUban8PABQSVStWXvzL0F4KOscIYcZ
        gjidHCXIYnud5B7GBo34MwzpRJShvjWgaVjvgsBAhFABmJFSVl/7GbefGnuKLAoP68Ng8KRd8zkT
        R+ovgeWP/HRZImKC5fP0tMngZTosVMTk0lQ46jonnYr+1y48Mqo/oqPPG/tglnD7IUhamh1Wt/Bo
        6UT2iEjNWCryMnodtd0ogPIokMq7bN1rC9w/KD9EUfvN4MHV7ZekpywUQ/kQBeaHHF8RDjC7leDf
        um0voQS+l3bsj16noPZ+ffBnhY3AU5meMSY2oLrMS9WWeNTs17A1UQ7Woq8ZZJ8YaGS9vqY2ONn+
        6EphZXk0yvidU3HSv14n7FV+9V1owrW9hNzt3ymPx8tvjbUc6y8839S4JfarQrqdIa7kuaOwFiNE
        mrIO1vT+c3G+yC+TmrYAv7WBfU4fb27dpQ3ZzNMZ2te7fGpXkTkTuktfac5qGiF6PqYQC7OcQqu5
        raZIUUREF3UnENZrJ7dVK+0wQTAxMA0GCWCGSAFlAwQCAQUABCBPVOkQ0e686et87h5wR5/6IadL
        0XM8IG2XX9k5IgM9MwQI5PcYXHp3ZfwCAggA
        """)

    /// Without an integrity code.
    static let containerWithoutCode: Data = data(
        """
        MIIDXAIBAzCCA1UGCSqGSIb3DQEHAaCCA0YEggNCMIIDPjCCAfUGCSqGSIb3DQEHAaCCAeYEggHi
        MIIB3jCCAdoGCyqGSIb3DQEMCgEDoIIBojCCAZ4GCiqGSIb3DQEJFgGgggGOBIIBijCCAYYwggEt
        oAMCAQICFDLxRcKf4/Zlu4QgEhkNNO3RWg3IMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMMEUZpeHR1
        cmUgQXV0aG9yaXR5MCAXDTI2MTEyODE1MDk1NFoYDzIxMjYxMTA0MTUwOTU0WjAQMQ4wDAYDVQQD
        DAVhbGljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABG8jqAT0pNNq/wT3bp55FKEdsp1W0VTa
        zxUAyQLhtfdJLe4LxyuGs3k9OHNfpjSzkBA9havoeI0jKu4y5cjVnVijVzBVMBMGA1UdJQQMMAoG
        CCsGAQUFBwMCMB0GA1UdDgQWBBTp8iHSPZ2NkJtDHcq1xDfW1pA9czAfBgNVHSMEGDAWgBSm6VTs
        QaAXbxYrJx6IqIG71hfFLTAKBggqhkjOPQQDAgNHADBEAiAqKwHWgQ3D9QYvfsachNtb0T/K1aje
        IgrgGaze1MkcJgIgLhpsd8Y8MBjQDgt8MNsV0/Cg7nLVDtgzomcsjkQIjuYxJTAjBgkqhkiG9w0B
        CRUxFgQUH8xnw2zLoujy96LNI7Ik/8xX00wwggFBBgkqhkiG9w0BBwGgggEyBIIBLjCCASowggEm
        BgsqhkiG9w0BDAoBAqCB7zCB7DBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIK54PaNdU
        CyUCAggAMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBAHZKOfLobJsfoP7VIXMHzlBIGQ3kqn
        KJCme5oSxSug5hNovlHoDvwa+ZPxi0zU4CxAGJT0F8Dxz0yadmbIK0Xdei0uDSDUkK2dzRZKf5s7
        YQl/3mwM8/Es3NhZYilZzWXdGpZHgUWbeq8lI2NsIZJ8TZJSOuzcGscAa8TtTtHgTl5kT4OLCTFS
        T5n2UF8RS8D1pD655rni453j7MpuHS4209/0MSUwIwYJKoZIhvcNAQkVMRYEFB/MZ8Nsy6Lo8vei
        zSOyJP/MV9NM
        """)

    /// With ``otherKey`` and ``key``.
    static let containerWithTwoKeys: Data = data(
        """
        MIIEUgIBAzCCBAgGCSqGSIb3DQEHAaCCA/kEggP1MIID8TCCAc4GCSqGSIb3DQEHAaCCAb8EggG7
        MIIBtzCCAbMGCyqGSIb3DQEMCgEDoIIBojCCAZ4GCiqGSIb3DQEJFgGgggGOBIIBijCCAYYwggEt
        oAMCAQICFDLxRcKf4/Zlu4QgEhkNNO3RWg3IMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMMEUZpeHR1
        cmUgQXV0aG9yaXR5MCAXDTI2MTEyODE1MDk1NFoYDzIxMjYxMTA0MTUwOTU0WjAQMQ4wDAYDVQQD
        DAVhbGljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABG8jqAT0pNNq/wT3bp55FKEdsp1W0VTa
        zxUAyQLhtfdJLe4LxyuGs3k9OHNfpjSzkBA9havoeI0jKu4y5cjVnVijVzBVMBMGA1UdJQQMMAoG
        CCsGAQUFBwMCMB0GA1UdDgQWBBTp8iHSPZ2NkJtDHcq1xDfW1pA9czAfBgNVHSMEGDAWgBSm6VTs
        QaAXbxYrJx6IqIG71hfFLTAKBggqhkjOPQQDAgNHADBEAiAqKwHWgQ3D9QYvfsachNtb0T/K1aje
        IgrgGaze1MkcJgIgLhpsd8Y8MBjQDgt8MNsV0/Cg7nLVDtgzomcsjkQIjuYwggIbBgkqhkiG9w0B
        BwGgggIMBIICCDCCAgQwgf8GCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqG
        SIb3DQEFDDAcBAiDQQ4ZELOknQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMi2p2/C
        bha5z26azmibBJQEgZDc0g0ynk5OOCdNKUjtUMjwqT63cUqHqVZqiMqyXh4vUpY1IShD6h/mBJwk
        00Sbf2RyMlGi0oZbuqgwTL/vh8BA9RyB6MUM8tf/01wUwm6anZh88OvgFoacqZCrgTTBtXOo8R/g
        WfMQXJlhqpa8yyhQJqnnpvAP8G0hinot2Qe0SSk2jgrvwwF6WyFarA3LlRowgf8GCyqGSIb3DQEM
        CgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjhw8as4owPbgICCAAwDAYI
        KoZIhvcNAgkFADAdBglghkgBZQMEASoEEFTN4aXeOf5477SUJ+fDasYEgZDkJZSXtS4OqOGzlZGv
        ApeytoMfhhgQQ1tOXIG+qdwDfzE4oa/CEHPWBa/E9mLFElh7bK2Me5kRHtvBhN5QBUA8an+dVF2U
        da7bI6ABv/ojHTLK7P3XaRUx5Aaz4v+YaSiM47++DfqNqeSTVVEJRlbI6g2NdlttqIyae+k07TWJ
        iFYzZTGjdOkq/IjzF3cCzE0wQTAxMA0GCWCGSAFlAwQCAQUABCCVKuMJfrAgIIW4xSrhEtBO5xhb
        h0E9VqmwZHEiSnh4zwQIuj9F+nmUBgICAggA
        """)

    private static func data(_ text: String) -> Data { Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data() }
}
