import APNS

struct ChannelPath: Equatable {
    enum Operation: Equatable {
        case create, read, delete, list, send
    }

    static let broadcastPrefix = Array("/4/broadcasts/apps/".utf8)

    let operation: Operation
    /// Perhaps no bundle id, as its ending may show.
    let app: Topic

    /// - Throws: `.methodNotAllowed`, `.badPath`.
    init(management fields: ChannelRequestFields) throws(ChannelError) {
        let methods = ["GET", "POST", "DELETE"].map { Array($0.utf8) }
        guard let method = methods.firstIndex(of: fields.method) else { throw ChannelError(.methodNotAllowed) }
        let parts = fields.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1].spells("1"), parts[2].spells("apps") else {
            throw ChannelError(.badPath)
        }
        app = try Self.app(parts[3])
        switch (parts[4].spells("channels"), parts[4].spells("all-channels"), method) {
        case (true, _, 0): operation = .read
        case (true, _, 1): operation = .create
        case (true, _, _): operation = .delete
        case (_, true, 0): operation = .list
        case (_, true, _): throw ChannelError(.methodNotAllowed)
        default: throw ChannelError(.badPath)
        }
    }

    /// - Throws: `.methodNotAllowed`, `.badPath`.
    init(broadcast fields: ChannelRequestFields) throws(ChannelError) {
        guard fields.method.elementsEqual("POST".utf8) else { throw ChannelError(.methodNotAllowed) }
        guard fields.path.starts(with: Self.broadcastPrefix) else { throw ChannelError(.badPath) }
        app = try Self.app(fields.path.dropFirst(Self.broadcastPrefix.count))
        operation = .send
    }

    private static func app(_ part: ArraySlice<UInt8>) throws(ChannelError) -> Topic {
        do throws(APNSError) { return try Topic(bytes: part.span) } catch { throw ChannelError(.badPath) }
    }
}
