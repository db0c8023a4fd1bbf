/// Which cases do not apply to a private cache of a client, and which of the others the project's cache fails, each
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

    /// What the cases of `cdn_only` have in common.
    package static let forCDNs = "`CDN-Cache-Control` (RFC 9213) is for content delivery networks."

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

    /// Failures of the project's cache among the cases that apply. None of them is required by the standard.
    package static let failures = [
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
            reason: "RFC 9111 no longer has `Warning` (section 5.5).",
            ids: ["stale-warning-stored", "stale-warning-become"]),
        Group(
            reason: "The estimated lifetime, a tenth of the time since `Last-Modified`, ends too early.",
            ids: ["heuristic-delta-5", "heuristic-delta-10", "heuristic-delta-30"]),
        Group(
            reason: "Only the origin knows which of the languages that the client prefers it has.",
            ids: ["vary-normalise-lang-select"]),
        Group(
            reason: "Without `Last-Modified`, `Date` counts, and it is later than the client's date (section 4.3.2).",
            ids: ["conditional-lm-fresh-no-lm"]),
        Group(
            reason: "An entity tag without quotation marks goes on as it came, and equals only itself.",
            ids: [
                "conditional-etag-quoted-respond-unquoted", "conditional-etag-unquoted-respond-quoted",
                "conditional-etag-strong-generate-unquoted", "conditional-etag-forward-unquoted",
            ]),
        Group(
            reason: "A 304 with another strong entity tag must not update a stored response (section 4.3.4).",
            ids: ["304-etag-update-response-ETag"]),
        Group(
            reason: "A response to HEAD goes to the client as it came. It updates what is stored for later requests.",
            ids: ["head-200-retain"]),
        Group(
            reason: "Only a response of 200 to HEAD updates what is stored (section 4.3.5).", ids: ["head-410-update"]),
        Group(
            reason: "The body of the stored part is one byte shorter than its `Content-Range` states.",
            ids: [
                "partial-store-partial-reuse-partial", "partial-store-partial-reuse-partial-absent",
                "partial-store-partial-reuse-partial-suffix",
            ]),
        Group(
            reason: "The stored part has no strong validator, so it cannot be combined with its rest (section 3.4).",
            ids: ["partial-store-partial-complete"]),
        Group(
            reason: "A response that comes from the origin has no `Age` of the client's cache.",
            ids: ["other-age-delay"]),
    ]
}
