import CacheTraces

/// Small inputs from which the search begins, by format: one that is read for each shape that the format has.
enum Seeds {
    static func of(_ format: String) -> [[UInt8]] {
        (texts[format] ?? []).map { Array($0.utf8) } + (binaries[format] ?? [])
    }

    static let policies: [[UInt8]] = [
        "lru", "lru(100MB)", "lru(20 objects)", "fifo(5%)", "nscache(cost: 100MB, count: 0)",
        "ttl(lru(100MiB), lifetime: 300s, sweep: 240s)",
        "split(thumbnail: lru(100 objects), full: lru(20 objects))", "unbounded", "none",
        "ttl(split(thumbnail: lru, full: fifo(1kB)), lifetime: 7d)",
    ].map { Array($0.utf8) }

    private static let texts: [String: [String]] = [
        "jsonl": [
            """
            {"cachereplay_trace":1,"title":"é\\u00e9","synthetic":true}
            {"e":"object","o":0,"key":"https://a/1.png","bytes":5,"type":"image/png","width":3,"height":4}
            {"e":"object","o":1,"key":"https://a/2.gif","frames":65535}
            {"t":0,"e":"appear","o":0,"variant":"thumbnail"}
            {"t":1,"e":"fetch","o":0,"status":200,"bytes":5,"ttfb":10,"transfer":3}
            {"t":2,"e":"scroll","phase":"dragged","offset":1.5,"velocity":-2e3}
            {"t":3,"e":"disappear","o":0}
            {"t":4,"e":"appear","o":0,"variant":"thumbnail","width":240,"height":180}
            {"t":4,"e":"prefetch","key":"b","height":65535,"width":1}
            {"t":5,"e":"memory_warning"}
            {"t":6,"e":"terminate"}
            {"t":7,"e":"remove","o":0}
            {"t":8,"e":"list","o":0,"variant":"thumbnail","position":12,"row":4}
            {"t":8,"e":"list","key":"c","position":0}
            {"t":9,"e":"served","o":0,"variant":"thumbnail","from":"disk"}
            {"t":9,"e":"cost","o":0,"variant":"thumbnail","bytes":48}
            """
        ],
        "har": har,
        "charles": [
            #"""
            [{"status":"COMPLETE","method":"GET","scheme":"https","host":"a","actualPort":8443,"path":"/b.png",\#
            "query":"c","times":{"start":"2026-01-05T10:00:00.25+01:00"},"durations":{"total":9,"dns":1,"connect":2,\#
            "ssl":1,"request":0,"latency":3,"response":4},"request":{"header":{"headers":[{"name":":authority",\#
            "value":"d"}]}},"response":{"status":200,"mimeType":"image/png","sizes":{"body":5},"header":{"headers":[\#
            {"name":"ETag","value":"x"}]}}}]
            """#
        ],
        "twitter": ["0,q:1:8W,17,213,4,get,0\n1,k,1,0,4,gets,0\n2,k,1,9,4,set,60\n"],
        "meta-kv": [
            "key,op,size,op_count,key_size\n9,GET,10,2,4\n8,SET,1,1,1\n8,GET_LEASE,0,1,1\n",
            "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n50,9,4,GET,1,10,1,0\n53,9,4,GET,1,10,1,0\n",
        ],
        "meta-block": [
            "# block_id io_offset io_size op_time op_name user\n4 131072 131073 10.5 1 u\n4 0 9 11 3 u\n",
            "4,0,1,1.5,getTemp\n",
        ],
        "msr": ["128166372003061629,hm,0,Read,383496192,32768,413\n128166372016382155,hm,1,Write,7,0,1\n"],
        "alibaba-block": ["0,R,126703661056,4096,1577808000000046\n1,W,1,77824,1577808000000426\n"],
        "tencent-block": ["Timestamp,Offset,Size,IOType,VolumeID\n1538323200,12910952,128,0,1283\n"],
        "spc": ["0,303567,3584,w,0.000000\n1, 55590, 3072, R, 0.026214, x\n"],
        "ibm-object": ["5 REST.PUT.OBJECT 8d4f 1056\n9 REST.GET.OBJECT 95d3 1168 0 1167\n9 REST.GET.OBJECT 95d3\n"],
        "tencent-photo": ["20160201164604 085a 5 m 12903 1 PHONE 1\n20160201164605 085a 9 l 1 0 PC 0\n"],
        "lirs": ["5\r\n*\r\n\r\n7\r\n5\r\n"],
        "arc": ["10 3 0 1\n11 1 0 2\n"],
        "webcachesim": ["1 7 100\n2 8 50\n3 7 120\n"],
        "address": ["s 0x1FFF 1\nl 0x10 2\n"],
        "text": ["cat.jpg\n dog.jpg \ncat.jpg", "1\n2\n1\n"],
        "csv": ["time,key,size\n1,\"a\"\"b\",3\n2.5,c,\n", "1;k;5\n2;k;5\n", "2020-01-01T00:00:00Z\ta b\t7\n"],
        "w3c": [
            """
            #Software: Microsoft Internet Information Services 10.0\n#Fields: date time cs-method cs-uri-stem \
            cs-uri-query sc-status sc-bytes time-taken\n
            """
                + "2015-01-13 00:32:18 GET /a.png v=1 200 1405 500\n",
            """
            #Version: 1.0\n#Fields: date time cs-method cs(Host) cs-uri-stem sc-status sc-bytes time-taken \
            time-to-first-byte\n
            """
                + "2018-11-07\t00:12:08\tGET\td.e\t/a.png\t200\t376\t0.394\t0.300\n",
            "#Date: 2020-01-01\n#Fields: time cs-method cs-uri-stem cs(Agent)\n00:00:01 GET /a \"x \"\"y\"\" z\"\n",
        ],
        "elb": [
            """
            https 2020-01-01T00:00:01.5Z app/my/1 1.2.3.4:1 10.0.0.1:80 0.001 0.099 0.400 200 200 225 24950 "GET \
            https://e.x:443/a.png HTTP/1.1" "A" - -\n
            """,
            "2020-01-01T00:00:02Z my 1.2.3.4:1 - -1 -1 -1 504 0 225 0 \"GET http://e.x:80/b.png HTTP/1.1\" \"A\" - -\n",
        ],
        "squid": [
            "1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET http://e.x/a.png - DIRECT/1.2.3.4 image/png\n"
        ],
        "wikimedia": [
            "s.w.org 17 2010-12-01T21:57:22.331 31 1.2.3.4 TCP_MEM_HIT/200 13208 "
                + "GET http://e.x/a.png NONE/- a/b - - M\n",
            "cp1\t8\t1291240642.500\t0.100\t1.2.3.4\tmiss/304\t-\tGET\thttp://e.x/c\t-\t-\t-\t-\tA B\t-\t-\n",
            "929840853 1190146243.326 http://en.wikipedia.org/wiki/Main_Page -\n2 1190146243.5 http://e.x/ save\n",
        ],
        "s3": [
            """
            79a5 pics [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT a/1.png "GET /pics/a/1.png \
            HTTP/1.1" 206 - 100 2326 70 10 "-" "S3 \"X\"" - s9lz= SigV4\n
            """
        ],
        "haproxy": [
            """
            Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 \
            10/0/30/69/+109 200 +2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /a.png HTTP/1.1"\n
            """,
            "1:1 [06/Feb/2009:12:14:16.655] f f/<NOSRV> -1/-1/-1/-1/1 -1 187 - - PR-- 1/1/0/0/0 0/0 \"<BADREQ>\"\n",
        ],
        "envoy": [
            """
            [2020-11-26T14:25:49.160Z] "GET /a.png HTTP/2" 200 - via_upstream - "-" 0 9758 38 37 "-" "UA" "f8-1" \
            "e.x" "10.0.0.1:8080"\n
            """,
            "[2020-11-26T14:25:50.160Z] \"GET /b HTTP/2\" 200 DC 0 9758 38 - \"-\" \"UA\" \"f8-2\" \"e.x\" \"-\"\n",
        ],
        "common": [
            "Nov 30 23:59:58 web1 nginx: 192.0.2.1, ::1 - - [30/Nov/2022:23:59:58 +0000] \"GET /a HTTP/1.1\" 200 5\n",
            "<134>1 2022-11-30T23:59:58Z h nginx 7 - [a b=\"c\"] ::1 - - [2022-11-30T23:59:58Z] \"GET /a X\" 200 5\n",
            "2022-11-30T23:59:58Z stdout F web-1  | ::1 - - [30/Nov/2022:23:59:58 +0000] \"GET /a X\" 200 5\n",
            "::1 - - [10/Oct/2000:13:55:38 -0700] \"GET /b.png HTTP/1.1\" 404 12\n",
            """
            cdn:443 10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a \\"b\\".png?x=1 HTTP/1.1" 200 5 "-" "Agent"\n
            """,
            "h i u [10/Oct/2000:13:55:36 +0000] (0 s) \"GET / HTTP/1.0\" 200 -\n",
        ],
        "json-log": [
            #"{"time_iso8601":"2020-01-01T00:00:01+00:00","request":"GET /a.png HTTP/1.1","status":"200","#
                + #""body_bytes_sent":"10","request_time":"0.250","host":"e.x"}"#,
            #"{"ts":1577836801.5,"request":{"method":"GET","host":"e.x","uri":"/a.png"},"duration":0.5,"#
                + #""size":10,"status":200,"resp_headers":{"Content-Type":["image/png"]}}"#,
            #"{"@timestamp":"2020-01-01T00:00:01Z","vhost":"e.x","method":"GET","uri":"/a.png","args":"w=9","#
                + #""response":"200","size":"10","reqtime":"0.250","upstream_header_time":"0.100"}"#,
            #"{"StartUTC":"2020-01-01T00:00:03Z","RequestMethod":"GET","RequestPath":"/b","#
                + #""DownstreamStatus":200,"DownstreamContentSize":7,"Duration":5000000}"#,
            #"{"log":"{\"start_time\":\"2020-01-01T00:00:03Z\",\"path\":\"/b\",\"method\":\"GET\","#
                + #"\"response_code\":200,\"duration\":\"1.2ms\"}\n","stream":"stdout","time":"2020-01-01T00:00:03Z"}"#,
            #"{"EdgeStartTimestamp":1712790000100000000,"EdgeEndTimestamp":1712790000123000000,"#
                + #""ClientRequestURI":"/a","ClientRequestMethod":"GET","EdgeResponseStatus":200}"#,
            #"{"httpRequest":{"requestMethod":"GET","requestUrl":"https://e.x/a","status":200,"responseSize":"5","#
                + #""latency":"0.012s"},"timestamp":"2024-01-02T03:04:05.678901Z"}"#,
            #"{"reqTimeSec":"1573840000.1","reqMethod":"GET","reqHost":"e.x","reqPath":"a","statusCode":"206","#
                + #""bytes":"5","objSize":"9","transferTimeMSec":"1","turnAroundTimeMSec":"2"}"#,
        ],
    ]

    private static let har = [
        #"""
        {"log":{"creator":{"name":"T","version":"1"},"pages":[{"id":"page_1","title":"P",\#
        "startedDateTime":"2026-01-01T00:00:00Z"},{"id":"page_1_1_0"}],"entries":[
        {"pageref":"page_1","startedDateTime":"2026-01-01T00:00:00.5Z","time":12.5,"request":{"method":"GET",\#
        "url":"https://a/b.png","headers":[]},
        "response":{"status":200,"headers":[{"name":"Content-Length","value":"5"},{"name":"ETag","value":"\"x\""}],
        "content":{"size":5,"mimeType":"image/png","text":"aGVsbG8=","encoding":"base64"},"bodySize":5,\#
        "_transferSize":0,"_fetchedViaServiceWorker":true},
        "cache":{"beforeRequest":{"hitCount":1}},"_fromCache":"memory","_run":1,"_cached":0,
        "timings":{"blocked":-1,"dns":1,"connect":2,"ssl":1,"send":0,"wait":3,"receive":4}}]}}
        """#,
        #"{"log":{"entries":[{"startedDateTime":"2026-03-01T10:30:00.5+01:00","request":{"url":"a.webp"},"#
            + #""response":{"status":304,"content":{"size":-1,"mimeType":"","text":"é\/\ud83d\ude00"}}}]}}"#,
        #"{"log":{"pages":[{"id":"p","startedDateTime":"2026-03-01T10:30:00Z"}],"entries":[{"pageref":"p","#
            + #""startedDateTime":"2026-03-01T10:30:01Z","request":{"url":"https://a/b/c?d#e"},"response":{"#
            + #""status":302,"redirectURL":"../f g.png","headers":[{"name":"Location","value":"//h"}],"#
            + #""content":{}}},{"pageref":"p","startedDateTime":"2026-03-01T10:30:02Z","request":{"url":"#
            + #""https://a/f%20g.png"},"response":{"status":200,"content":{"mimeType":"image/png"}}}]}}"#,
        """
        \u{FEFF} \
        {"log":{"entries":[null,[],{"request":{"url":"data:image/png;base64,AA"},\
        "response":{"content":{"mimeType":"image/png"},"_bytesIn":"7"}}]}}
        """,
        "callback({\"log\":{\"entries\":[]}})",
    ]
}
