import Envelope
import FuzzSupport
import Keys
import Platform
import Primitives
import Synchronization

@testable import Opening

/// The window's file after some senders' use; every execution starts with the same.
final class WindowImage: Sendable {
    static let senders: [SenderKey] = (0..<UInt64(Names.senderCount)).map { number in
        var random = FixedRandom(seed: 200 + number)
        return SenderKey(Ed25519PrivateKey(random: &random).publicKey)
    }

    /// Offsets of the senders, their messages and the changes to these, and the first two pages.
    static let places: [Int] = pagesOfNames()

    /// Web Push, the crowd, and the two senders that the file knows.
    static let slots: [Int] = [SenderRow.webPushSlot, SenderRow.crowdSlot] + senders.prefix(2).map(firstSlot)

    private static let salt = [UInt8](repeating: 0x5A, count: 16)
    /// Enough to bring the first sender close to its quota.
    private static let filledCount: UInt64 = 3_400

    private let folder: String
    private let descriptor: Int32
    private let bytes: [UInt8]
    private let changed = Mutex(Changes())

    private struct Changes {
        var pages: Set<Int> = []
        /// nil for the right one.
        var byteCount: Int?
    }

    init() {
        // FUZZ_FOLDER is empty, and is gone after the run.
        guard let folder = unsafe getenv("FUZZ_FOLDER").map({ unsafe String(cString: $0) }) else {
            fatalError("Fuzz/run names a folder")
        }
        // Several processes of one run may use it: libFuzzer starts some of its own.
        self.folder = folder + "/\(getpid())"
        let path = self.folder + "/" + WindowLayout.name
        do {
            try PrivateFolder.make(self.folder, protection: nil)
            let identity = WindowIdentity(id: [UInt8](repeating: 0xA5, count: 16), salt: Self.salt)
            try WindowCreation.create(in: self.folder, identity: identity, existing: .replace)
            try Self.fill(path)
            bytes = try WholeFile.read(path, byteCountMax: WindowLayout.byteCount)
        } catch {
            fatalError("a window can be made")
        }
        descriptor = unsafe Platform.open(path, O_RDWR | O_CLOEXEC)
        require(descriptor >= 0, "the window's file can be opened")
    }

    func open() throws(ReplayWindowError) -> WindowFile {
        try WindowFile(path: folder + "/" + WindowLayout.name) { words, offset in
            self.note(offset, wordCount: words.count)
        }
    }

    func damage(_ words: [UInt64], at offset: Int) {
        note(offset, wordCount: words.count)
        unsafe words.withUnsafeBytes { unsafe write($0, at: offset) }
    }

    func resize(to byteCount: Int) {
        changed.withLock { $0.byteCount = byteCount }
        require(ftruncate(descriptor, off_t(byteCount)) == 0, "a file can be cut")
    }

    var keepsItsSize: Bool {
        var status = stat()
        let code = unsafe fstat(descriptor, &status)
        // A window may have been open when the file was cut.
        return code == 0 && (changed.withLock { $0.byteCount } != nil || status.st_size == WindowLayout.byteCount)
    }

    func restore() {
        let changes = changed.withLock { changes in
            defer { changes = Changes() }
            return changes
        }
        unsafe bytes.withUnsafeBytes { all in
            if changes.byteCount != nil {
                require(ftruncate(descriptor, off_t(all.count)) == 0, "a file can be made as long as it was")
                unsafe write(all, at: 0)
            } else {
                for page in changes.pages {
                    let start = WindowLayout.offset(ofPage: page)
                    let range = start..<start + WindowLayout.pageByteCount
                    unsafe write(UnsafeRawBufferPointer(rebasing: all[range]), at: start)
                }
            }
        }
    }

    private func note(_ offset: Int, wordCount: Int) {
        guard wordCount > 0 else { return }
        let pages = offset / WindowLayout.pageByteCount...(offset + wordCount * 8 - 1) / WindowLayout.pageByteCount
        changed.withLock { $0.pages.formUnion(pages) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let count = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        require(count == bytes.count, "the file can be written")
    }

    private static func fill(_ path: String) throws(ReplayWindowError) {
        let file = try WindowFile(path: path, onWrite: nil)
        let uptime = Uptime(milliseconds: 0, boot: 1)
        var core = try WindowCore(file: file, uptime: uptime)
        func perform(_ body: (inout WindowCore) throws(ReplayWindowError) -> Void) throws(ReplayWindowError) {
            try core.begin(at: uptime)
            try body(&core)
            try core.finish()
        }
        for number in 0..<filledCount + 2 * UInt64(Names.messageCount) {
            let isFilling = number < filledCount
            let sentAt = Names.now + number
            let stamp = MessageStamp(
                sender: senders[isFilling ? 0 : Int(number - filledCount) / Names.messageCount],
                messageID: isFilling
                    ? Array(SHA256.hash([UInt8(number >> 8), UInt8(number & 0xFF)]).prefix(16))
                    : Names.messageID(UInt8((number - filledCount) % UInt64(Names.messageCount))),
                sentAt: Timestamp(milliseconds: sentAt),
                expiresAt: Timestamp(milliseconds: sentAt + 86_400_000)
            )
            // Half of the names are not there yet.
            if !isFilling, number % 2 == 0 { continue }
            try perform { core throws(ReplayWindowError) in _ = try core.claim(stamp) }
        }
        for (sender, slot) in zip(senders, slots.dropFirst(2)) {
            guard case .known(slot) = try core.find(core.id(of: sender)) else {
                fatalError("each has a page of its own")
            }
        }
        for number in 0..<UInt8(4) {
            let change = OrderedChange(
                sender: senders[Int(number % 2)],
                target: Names.messageID(number),
                messageID: Names.messageID(number + 4),
                sentAt: Timestamp(milliseconds: Names.now + 10_000),
                kind: .remove,
                keepUntil: Timestamp(milliseconds: Names.now + 604_800_000)
            )
            try perform { core throws(ReplayWindowError) in _ = try core.order(change) }
            let key = Names.webPushKey(number)
            try perform { core throws(ReplayWindowError) in _ = try core.claim(webPush: key) }
        }
    }

    /// The first slot of a sender in its page.
    private static func firstSlot(_ sender: SenderKey) -> Int {
        let digest = SHA256.hash(salt, sender.rawRepresentation)
        let page = Int(digest.word(at: 16) % UInt64(WindowLayout.senderPages.count))
        return page * WindowLayout.rowsPerPage + (page == 0 ? 2 : 0)
    }

    /// Computed here in another way than by the window, which finds them while it reads.
    private static func pagesOfNames() -> [Int] {
        func pages(_ range: Range<Int>, _ digest: [UInt8], at offsets: [Int]) -> [Int] {
            offsets.map { range.lowerBound + Int(digest.word(at: $0) % UInt64(range.count)) }
        }
        var all = [0, WindowLayout.sweepPage, WindowLayout.senderPages.lowerBound]
        for sender in senders {
            all += pages(WindowLayout.senderPages, SHA256.hash(salt, sender.rawRepresentation), at: [16])
            for number in 0..<UInt8(Names.messageCount) {
                let key = ReplayKey(sender: sender, messageID: Names.messageID(number))
                all += pages(WindowLayout.recordPages, SHA256.hash(salt, key.bytes), at: [0, 8])
                all += pages(WindowLayout.orderPages, SHA256.hash(salt, key.bytes), at: [16, 24])
            }
        }
        for number in 0..<UInt8(Names.messageCount) {
            let key = Names.webPushKey(number)
            all += pages(WindowLayout.recordPages, SHA256.hash(salt, key.bytes), at: [0, 8])
        }
        return all
    }
}
