/// Files of a page, in memory. Their policy admits no script, style or request from elsewhere, and nothing inline.
package struct PageFiles: Sendable {
    /// - Source: W3C Content Security Policy Level 3. `data:` is for pictures that the page makes itself.
    package static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private struct File {
        let type: String
        let bytes: [UInt8]
    }

    private var files: [String: File] = [:]

    /// Parts of every page.
    private static let shared = [
        "/page.css": (name: "page.css", bytes: PackageResources.page_css),
        "/page.js": (name: "page.js", bytes: PackageResources.page_js),
    ]

    /// - Parameter files: path (`/` for the page itself) to name and bytes; the name's ending gives the type. `/page.css`
    ///   and `/page.js` are there already.
    package init(_ files: [String: (name: String, bytes: [UInt8])]) {
        for (path, file) in files.merging(Self.shared, uniquingKeysWith: { own, _ in own }) {
            let ending = file.name.split(separator: ".").last.map(String.init) ?? ""
            self.files[path] = File(type: Self.types[ending] ?? "application/octet-stream", bytes: file.bytes)
        }
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// - Returns: nil for another path.
    package func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        guard let file = files[request.path] else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return HTTPAnswer(status: 405, fields: [.init("Allow", "GET, HEAD")])
        }
        return HTTPAnswer(
            status: 200,
            fields: [
                .init("Content-Type", file.type), .init("Content-Security-Policy", Self.policy),
                .init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff"),
                .init("Referrer-Policy", "no-referrer"), .init("Cross-Origin-Opener-Policy", "same-origin"),
                .init("Cross-Origin-Resource-Policy", "same-origin"),
            ],
            body: .bytes(file.bytes)
        )
    }
}
