/// Which cases do not apply to a private cache of a client, and which of the others the rules of replays fail, each
/// with its reason. A test compares both with what happens.
package enum CaseCatalogue {
    package struct Group: Sendable {
        package var reason: String
        package var ids: [String]

        package init(reason: String, ids: [String]) {
            self.reason = reason
            self.ids = ids
        }
    }

    /// Cases that require a shared cache to behave as a private one need not. Cases of `cdn_only` come in addition.
    package static let forSharedCaches = [
        Group(
            reason: "`s-maxage` is for shared caches (RFC 9111, section 5.2.2.10).",
            ids: [
                "freshness-s-maxage-shared", "freshness-max-age-s-maxage-shared-longer",
                "freshness-max-age-s-maxage-shared-longer-reversed",
                "freshness-max-age-s-maxage-shared-longer-multiple", "freshness-max-age-s-maxage-shared-shorter",
                "freshness-max-age-s-maxage-shared-shorter-expires", "stale-close-s-maxage=2",
                "other-authorization-smaxage",
            ]),
        Group(
            reason: "`private` forbids only shared caches to store a response (section 5.2.2.7).",
            ids: ["cc-resp-private-shared"]),
        Group(
            reason: "`proxy-revalidate` is for shared caches (section 5.2.2.8).",
            ids: ["stale-close-proxy-revalidate"]),
        Group(
            reason: "`Authorization` forbids only shared caches to store a response (section 3.5).",
            ids: ["other-authorization"]),
    ]

    /// Failures of the rules of replays among the cases that apply.
    package static let failures = [
        Group(
            reason: "Replays see no header of requests: no directive, no condition, no reload.",
            ids: [
                "cc-resp-immutable-stale", "ccreq-ma0", "ccreq-ma1", "ccreq-magreaterage", "ccreq-max-stale",
                "ccreq-max-stale-age", "ccreq-min-fresh", "ccreq-min-fresh-age", "ccreq-no-cache", "ccreq-no-cache-lm",
                "ccreq-no-cache-etag", "ccreq-no-store", "ccreq-oic", "conditional-lm-fresh",
                "conditional-lm-fresh-earlier", "conditional-lm-stale", "conditional-lm-fresh-no-lm",
                "conditional-lm-fresh-rfc850", "conditional-etag-strong-respond", "conditional-304-etag",
                "conditional-etag-precedence", "conditional-etag-strong-respond-obs-text",
                "conditional-etag-quoted-respond-unquoted", "conditional-etag-unquoted-respond-unquoted",
                "conditional-etag-unquoted-respond-quoted", "conditional-etag-weak-respond",
                "conditional-etag-weak-respond-lowercase", "conditional-etag-weak-respond-backslash",
                "conditional-etag-weak-respond-omit-slash", "conditional-etag-strong-respond-multiple-first",
                "conditional-etag-strong-respond-multiple-second", "conditional-etag-strong-respond-multiple-last",
            ]),
        Group(
            reason: "A session has one response for each URL, and `Vary` with names has no effect.",
            ids: [
                "vary-no-match", "vary-omit-stored", "vary-omit", "vary-invalidate", "vary-2-no-match",
                "vary-2-match-omit", "vary-3-no-match", "vary-3-order", "conditional-etag-vary-headers-mismatch",
            ]),
        Group(
            reason: "Requests of sessions are GETs, and other methods change nothing that is stored.",
            ids: [
                "method-POST", "head-200-retain", "head-200-freshness-update", "head-200-update", "head-410-update",
                "invalidate-POST", "invalidate-PUT", "invalidate-DELETE", "invalidate-M-SEARCH",
                "invalidate-POST-location", "invalidate-PUT-location", "invalidate-DELETE-location",
                "invalidate-M-SEARCH-location", "invalidate-POST-cl", "invalidate-PUT-cl", "invalidate-DELETE-cl",
                "invalidate-M-SEARCH-cl",
            ]),
        Group(
            reason: "Requests of sessions have no ranges, and a 206 is stored as if it were whole.",
            ids: [
                "partial-store-complete-reuse-partial", "partial-store-complete-reuse-partial-no-last",
                "partial-store-complete-reuse-partial-suffix", "partial-store-partial-reuse-partial-byterange",
                "partial-store-partial-reuse-partial-absent", "partial-store-partial-reuse-partial-suffix",
                "partial-store-partial-complete", "partial-use-headers", "partial-use-stored-headers",
            ]),
        Group(
            reason: "A session has one set of headers for each object, which a 304 does not change.",
            ids: [
                "304-etag-update-response-Test-Header", "304-etag-update-response-X-Test-Header",
                "304-etag-update-response-Content-Foo", "304-etag-update-response-X-Content-Foo",
                "304-etag-update-response-Cache-Control", "304-etag-update-response-Content-Encoding",
                "304-etag-update-response-Content-Location", "304-etag-update-response-Content-MD5",
                "304-etag-update-response-Content-Range", "304-etag-update-response-Content-Security-Policy",
                "304-etag-update-response-Content-Type", "304-etag-update-response-Clear-Site-Data",
                "304-etag-update-response-ETag", "304-etag-update-response-Expires",
                "304-etag-update-response-Public-Key-Pins", "304-etag-update-response-Set-Cookie",
                "304-etag-update-response-Set-Cookie2", "304-etag-update-response-X-Frame-Options",
                "304-etag-update-response-X-XSS-Protection",
            ]),
        Group(
            reason: "A replay delivers images, whose heads it neither changes nor ages.",
            ids: [
                "headers-omit-headers-listed-in-Cache-Control-no-cache-single",
                "headers-omit-headers-listed-in-Cache-Control-no-cache", "headers-omit-headers-listed-in-Connection",
                "other-age-gen", "other-age-delay", "other-age-update-expires", "other-age-update-max-age",
            ]),
        Group(
            reason: "Only responses with a status of 2xx are stored.",
            ids: [
                "heuristic-404-cached", "heuristic-405-cached", "heuristic-410-cached", "heuristic-414-cached",
                "heuristic-501-cached", "heuristic-599-cached", "status-301-fresh", "status-302-fresh",
                "status-303-fresh", "status-307-fresh", "status-308-fresh", "status-400-fresh", "status-404-fresh",
                "status-410-fresh", "status-499-fresh", "status-500-fresh", "status-502-fresh", "status-503-fresh",
                "status-504-fresh", "status-599-fresh",
            ]),
        Group(
            reason: "Each status of 2xx may be stored by an estimated lifetime.",
            ids: ["heuristic-201-not_cached", "heuristic-202-not_cached"]),
        Group(
            reason: "A response that states no lifetime and has no validator has the lifetime of the policy.",
            ids: ["freshness-none", "freshness-max-age-space-before-equals"]),
        Group(
            reason: "The age is that of `Age`. A `Date` in the past makes no response older.",
            ids: ["freshness-max-age-date"]),
        Group(
            reason: "After an error, a response past its lifetime is shown only within `stale-if-error`.",
            ids: [
                "stale-close", "stale-503", "stale-close-must-revalidate", "stale-close-no-cache",
                "stale-warning-stored", "stale-warning-become",
            ]),
        Group(
            reason: "With the rule `conditional`, `stale-while-revalidate` has no effect.",
            ids: ["stale-while-revalidate", "stale-while-revalidate-window"]),
        Group(
            reason: "`must-understand` has no effect, so `no-store` beside it counts.",
            ids: ["status-200-must-understand"]),
        Group(
            reason: "Of two `max-age`, the first counts (RFC 9111, section 4.2.1). Other cases examine that it does.",
            ids: ["freshness-max-age-two-stale-fresh-sameline", "freshness-max-age-two-stale-fresh-sepline"]),
        Group(
            reason: "A lifetime that is no number of seconds makes a response stale (section 4.2.1).",
            ids: [
                "freshness-max-age-decimal-zero", "freshness-max-age-decimal-five", "freshness-max-age-a100",
                "freshness-max-age-100a",
            ]),
        Group(
            reason: "An `Age` that is no number is ignored (section 5.1).",
            ids: ["age-parse-parameter", "age-parse-numeric-parameter"]),
        Group(
            reason: "The estimated lifetime, a tenth of the time since `Last-Modified`, ends too early.",
            ids: ["heuristic-delta-5", "heuristic-delta-10", "heuristic-delta-30"]),
        Group(
            reason: "An entity tag without quotation marks goes on as it came, and equals only itself.",
            ids: ["conditional-etag-strong-generate-unquoted", "conditional-etag-forward-unquoted"]),
    ]
}
