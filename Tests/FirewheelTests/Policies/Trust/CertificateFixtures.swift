#if os(Linux)
    /// Certificates whose facts `openssl x509` has printed.
    enum CertificateFixtures {
        /// The root ISRG Root X2.
        static let root = """
            -----BEGIN CERTIFICATE-----
            MIICGzCCAaGgAwIBAgIQQdKd0XLq7qeAwSxs6S+HUjAKBggqhkjOPQQDAzBPMQsw
            CQYDVQQGEwJVUzEpMCcGA1UEChMgSW50ZXJuZXQgU2VjdXJpdHkgUmVzZWFyY2gg
            R3JvdXAxFTATBgNVBAMTDElTUkcgUm9vdCBYMjAeFw0yMDA5MDQwMDAwMDBaFw00
            MDA5MTcxNjAwMDBaME8xCzAJBgNVBAYTAlVTMSkwJwYDVQQKEyBJbnRlcm5ldCBT
            ZWN1cml0eSBSZXNlYXJjaCBHcm91cDEVMBMGA1UEAxMMSVNSRyBSb290IFgyMHYw
            EAYHKoZIzj0CAQYFK4EEACIDYgAEzZvVn4CDCuwJSvMWSj5cz3es3mcFDR0HttwW
            +1qLFNvicWDEukWVEYmO6gbf9yoWHKS5xcUy4APgHoIYOIvXRdgKam7mAHf7AlF9
            ItgKbppbd9/w+kHsOdx1ymgHDB/qo0IwQDAOBgNVHQ8BAf8EBAMCAQYwDwYDVR0T
            AQH/BAUwAwEB/zAdBgNVHQ4EFgQUfEKWrt5LSDv6kviejM9ti6lyN5UwCgYIKoZI
            zj0EAwMDaAAwZQIwe3lORlCEwkSHRhtFcP9Ymd70/aTSVaYgLXTWNLxBo1BfASdW
            tL4ndQavEi51mI38AjEAi/V3bNTIZargCyzuFJ0nN6T5U6VR5CmD1/iQMVtCnwr1
            /q4AaOeMSQ+2b1tbFfLn
            -----END CERTIFICATE-----
            """

        /// One that says what certificates seldom say: a negative serial number, an end after 2049, a name with every escaped character, a
        /// type of attribute without a name, and names of kinds that are not for hosts.
        static let odd = """
            -----BEGIN CERTIFICATE-----
            MIIDxTCCA2qgAwIBAgID/38BMAoGCCqGSM49BAMCMIG2MQswCQYDVQQGEwJERTEq
            MCgGA1UECgwhR3LDtsOfZSwgIlTDtmNodGVyIiArIFPDtmhuZTsgPHg+MRAwDgYD
            VQQLDAcjZmlyc3QgMRwwGgYKKwYBBAGGjR8BAgwMaGlkZGVuIHZhbHVlMRcwFQYK
            CZImiZPyLGQBGRYHZXhhbXBsZTEcMBoGCSqGSIb3DQEJARYNYUBleGFtcGxlLmNv
            bTEUMBIGA1UEAwwLSsO2cmdcLCDlrZcwIBcNMjYxMTI4MTE0MDIzWhgPMjA4MTA4
            MzExMTQwMjNaMIG2MQswCQYDVQQGEwJERTEqMCgGA1UECgwhR3LDtsOfZSwgIlTD
            tmNodGVyIiArIFPDtmhuZTsgPHg+MRAwDgYDVQQLDAcjZmlyc3QgMRwwGgYKKwYB
            BAGGjR8BAgwMaGlkZGVuIHZhbHVlMRcwFQYKCZImiZPyLGQBGRYHZXhhbXBsZTEc
            MBoGCSqGSIb3DQEJARYNYUBleGFtcGxlLmNvbTEUMBIGA1UEAwwLSsO2cmdcLCDl
            rZcwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASMevf4skyYbucwqzcRBvbHvQFd
            yt+G9KJB2fXRD4pZz365vciVqatoJzQijI7iX8pCFrEBmmxusU2sOh4QiFLio4IB
            YTCCAV0wggEvBgNVHREEggEmMIIBIoILZXhhbXBsZS5jb22CDSouZXhhbXBsZS5j
            b22HBMAAAgGHECABDbgAAAAAAAAAAAAAAAGBDWFAZXhhbXBsZS5jb22GFGh0dHBz
            Oi8vZXhhbXBsZS5jb20vpIHGMIHDMQswCQYDVQQGEwJERTEyMDAGA1UECgwpR3LD
            g8K2w4PCn2UsICJUw4PCtmNodGVyIiArIFPDg8K2aG5lOyA8eD4xEDAOBgNVBAsM
            ByNmaXJzdCAxHDAaBgorBgEEAYaNHwECDAxoaWRkZW4gdmFsdWUxFzAVBgoJkiaJ
            k/IsZAEZFgdleGFtcGxlMRwwGgYJKoZIhvcNAQkBFg1hQGV4YW1wbGUuY29tMRkw
            FwYDVQQDDBBKw4PCtnJnXCwgw6XCrcKXMAkGA1UdEwQCMAAwHQYDVR0OBBYEFCke
            9oXvIpLoxDCJ20dvv2XGTy99MAoGCCqGSM49BAMCA0kAMEYCIQDSpLJbOkDQUfOW
            FxqeTvytqjl0M2RHxRU20uGFVyZ0agIhAN8H5GpkHMRDx1hE9tiLbOyD4iq/Z0lD
            acOjj1ZyQC1X
            -----END CERTIFICATE-----
            """
    }
#endif
