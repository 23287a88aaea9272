/// The waterfalls that `WaterfallTests` expects at three widths.
enum WaterfallGolden {
    static let texts: [Int: String] = [
        60: """
        2 hops, 183.0 ms
        1. GET https://<redacted>@api.example....ss_token=<redacted>
           status 302, h2, TLSv1.3, [2001:db8::7]:443,
           new connection, sent 120+0 bytes, received 95+0 bytes
          queue   |=                                     |  4.000 ms
          dns     | ==                                   |  12.00 ms
          connect |   ===                                |  15.00 ms
          tls     |      =======                         |  31.00 ms
          send    |             =                        |  0.400 ms
          wait    |              ======                  |  34.60 ms
          receive |                    =                 |  0.600 ms
        2. GET https://api.example.com/v2/users/all
           status 200, h2, TLSv1.3, [2001:db8::7]:443,
           reused connection, sent 118+0 bytes,
           received 210+10240 bytes, decoded 61000
          queue   |                    =                 |  0.600 ms
          dns     |reused                                |
          connect |reused                                |
          tls     |reused                                |
          send    |                     =                |  0.100 ms
          wait    |                      =====           |  32.70 ms
          receive |                           ===========|  52.00 ms
        """,
        80: """
        2 hops, 183.0 ms
        1. GET https://<redacted>@api.example.com/v1/users?p...2&access_token=<redacted>
           status 302, h2, TLSv1.3, [2001:db8::7]:443, new connection, sent 120+0 bytes,
           received 95+0 bytes
          queue   |=                                                         |  4.000 ms
          dns     | ====                                                     |  12.00 ms
          connect |     =====                                                |  15.00 ms
          tls     |          ==========                                      |  31.00 ms
          send    |                    =                                     |  0.400 ms
          wait    |                     ==========                           |  34.60 ms
          receive |                               =                          |  0.600 ms
        2. GET https://api.example.com/v2/users/all
           status 200, h2, TLSv1.3, [2001:db8::7]:443, reused connection,
           sent 118+0 bytes, received 210+10240 bytes, decoded 61000
          queue   |                               =                          |  0.600 ms
          dns     |reused                                                    |
          connect |reused                                                    |
          tls     |reused                                                    |
          send    |                                =                         |  0.100 ms
          wait    |                                 =========                |  32.70 ms
          receive |                                          ================|  52.00 ms
        """,
        120: """
        2 hops, 183.0 ms
        1. GET https://<redacted>@api.example.com/v1/users?page=2&access_token=<redacted>
           status 302, h2, TLSv1.3, [2001:db8::7]:443, new connection, sent 120+0 bytes, received 95+0 bytes
          queue   |==                                                                                                |  4.000 ms
          dns     |  =======                                                                                         |  12.00 ms
          connect |         ========                                                                                 |  15.00 ms
          tls     |                 ================                                                                 |  31.00 ms
          send    |                                 =                                                                |  0.400 ms
          wait    |                                  ==================                                              |  34.60 ms
          receive |                                                    =                                             |  0.600 ms
        2. GET https://api.example.com/v2/users/all
           status 200, h2, TLSv1.3, [2001:db8::7]:443, reused connection, sent 118+0 bytes, received 210+10240 bytes,
           decoded 61000
          queue   |                                                    =                                             |  0.600 ms
          dns     |reused                                                                                            |
          connect |reused                                                                                            |
          tls     |reused                                                                                            |
          send    |                                                     =                                            |  0.100 ms
          wait    |                                                      ================                            |  32.70 ms
          receive |                                                                      ============================|  52.00 ms
        """,
    ]
}
