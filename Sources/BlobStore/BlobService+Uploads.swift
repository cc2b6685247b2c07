internal import HTTP
internal import Primitives

/// Uploads by draft-ietf-httpbis-resumable-upload's fields, with the length declared first.
extension BlobService {
    func begin(_ request: HTTPRequest) -> HTTPAnswer {
        guard request.method == "POST" else { return .methodNotAllowed("POST") }
        guard let tenant = tenant(request) else { return Self.unauthorized }
        guard let part = UploadPart(request) else { return Self.malformed }
        guard let byteCount = part.length ?? (part.isLast ? UInt64(request.body.count) : nil) else {
            return .text(411, "Upload-Length is missing", [Self.limit])
        }
        do throws(BlobError) {
            var random = SystemRandom()
            let upload = try folder.create(
                for: tenant,
                byteCount: byteCount,
                lifetime: part.lifetime,
                now: now(),
                random: &random
            )
            do throws(BlobError) {
                return try accept(request.body, part, at: 0, of: upload, tenant, created: true)
            } catch {
                // Its id is unknown to the client. If this fails, the upload expires.
                try? folder.abandon(upload.id, of: tenant, now: now())
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    /// `HEAD`, `PATCH` and `DELETE /v1/uploads/ID`.
    func upload(_ name: Substring, _ request: HTTPRequest) -> HTTPAnswer {
        guard ["HEAD", "PATCH", "DELETE"].contains(request.method) else {
            return .methodNotAllowed("HEAD, PATCH, DELETE")
        }
        guard let tenant = tenant(request) else { return Self.unauthorized }
        guard let id = UploadID(name) else { return .notFound }
        do throws(BlobError) {
            switch request.method {
            case "HEAD":
                let upload = try folder.status(id, of: tenant, now: now())
                return HTTPAnswer(status: 204, fields: upload.fields + [Self.limit])
            case "DELETE":
                try folder.abandon(id, of: tenant, now: now())
                return HTTPAnswer(status: 204)
            default:
                return try append(request, to: id, tenant)
            }
        } catch {
            return .failure(error)
        }
    }

    private func append(_ request: HTTPRequest, to id: UploadID, _ tenant: Tenant) throws(BlobError) -> HTTPAnswer {
        guard let part = UploadPart(request), let offset = part.offset else { return Self.malformed }
        let upload = try folder.status(id, of: tenant, now: now())
        // After a lost answer: the offset shows that nothing is missing.
        guard !upload.isPublished else { throw .wrongOffset(upload) }
        guard part.length == nil || part.length == upload.byteCount else { return Self.malformed }
        return try accept(request.body, part, at: offset, of: upload, tenant, created: false)
    }

    private func accept(
        _ bytes: [UInt8],
        _ part: UploadPart,
        at offset: UInt64,
        of upload: UploadStatus,
        _ tenant: Tenant,
        created: Bool
    ) throws(BlobError) -> HTTPAnswer {
        let next = try folder.append(bytes, to: upload.id, of: tenant, at: offset, now: now())
        guard part.isLast else {
            let location = HTTPRequest.Field("Location", "/v1/uploads/\(upload.id.text)")
            return HTTPAnswer(
                status: created ? 201 : 204,
                fields: next.fields + (created ? [location, Self.limit] : [])
            )
        }
        let published = try folder.publish(upload.id, of: tenant, now: now())
        return HTTPAnswer(status: created ? 201 : 200, fields: published.fields)
    }

    func tenant(_ request: HTTPRequest) -> Tenant? {
        let scheme = "bearer "
        guard let value = request.value(of: "Authorization"),
            value.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        return tenants.tenant(token: String(value.dropFirst(scheme.count)))
    }

    private static var limit: HTTPRequest.Field { .init("Upload-Limit", "max-append-size=\(partByteCountMax)") }

    private static var unauthorized: HTTPAnswer {
        .text(401, "a tenant's token is needed", [.init("WWW-Authenticate", "Bearer")])
    }

    private static var malformed: HTTPAnswer { .text(400, "the upload's fields are malformed") }
}

struct UploadPart: Equatable {
    /// `Upload-Offset`.
    let offset: UInt64?
    /// `Upload-Length`, of the whole.
    let length: UInt64?
    /// `Upload-Complete`.
    let isLast: Bool
    /// `Expires-In`, seconds; our own field.
    let lifetime: UInt64?

    /// - Returns: nil for a malformed field, or without `Upload-Complete`.
    init?(_ request: HTTPRequest) {
        do throws(FieldError) {
            offset = try Self.number("Upload-Offset", request)
            length = try Self.number("Upload-Length", request)
            lifetime = try Self.number("Expires-In", request)
        } catch {
            return nil
        }
        guard lifetime != 0 else { return nil }
        switch request.value(of: "Upload-Complete") {
        case "?1": isLast = true
        case "?0": isLast = false
        default: return nil
        }
    }

    private struct FieldError: Error {}

    /// Parses a non-negative integer (RFC 8941 section 3.3.1): at most 15 digits.
    private static func number(_ name: String, _ request: HTTPRequest) throws(FieldError) -> UInt64? {
        guard let text = request.value(of: name) else { return nil }
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt64(text)
        else { throw FieldError() }
        return number
    }
}

extension UploadStatus {
    /// Progress, and the blob's location once published.
    var fields: [HTTPRequest.Field] {
        var fields: [HTTPRequest.Field] = [
            .init("Upload-Offset", "\(offset)"),
            .init("Upload-Length", "\(byteCount)"),
            .init("Upload-Complete", isPublished ? "?1" : "?0"),
            .init("Expires", HTTPDate.text(expiry)),
            .init("Cache-Control", "no-store"),
        ]
        if isPublished { fields.append(.init("Location", "/v1/blobs/\(id.blobID.text)")) }
        return fields
    }
}
