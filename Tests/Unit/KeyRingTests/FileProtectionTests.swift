#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import Keys
import Platform
import TestSupport
import Testing

/// A simulated device's refusals, file by file: data protection as iOS enforces it.
struct FileProtectionTests {
    private let folder: TemporaryFolder
    private let device = SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { 0 })

    init() throws {
        folder = try TemporaryFolder()
        for name in ["none", "until", "unmarked"] {
            let protection = Self.protection(name)
            try PrivateFolder.make(folder.path(name), protection: protection)
            try WholeFile.write([1], to: folder.path(name + "/file"), access: Self.access(name))
        }
    }

    private static func protection(_ name: String) -> FileProtection? {
        ["none": .always, "until": .untilFirstUnlock][name]
    }

    private static func access(_ name: String) -> WholeFile.Access {
        protection(name).map { .protected($0) } ?? .ownerOnly
    }

    struct State: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lock: SimulatedDevice.Lock
        let isComplete: Bool
        let opened: Set<String>

        static let all = [
            State("unlocked", .unlocked, true, ["none", "until", "unmarked"]),
            State("locked", .locked, false, ["none", "until", "unmarked"]),
            State("locked, Complete by default", .locked, true, ["none", "until"]),
            State("before the first unlock", .beforeFirstUnlock, false, ["none"]),
            State("before the first unlock, Complete by default", .beforeFirstUnlock, true, ["none"]),
        ]

        init(_ name: String, _ lock: SimulatedDevice.Lock, _ isComplete: Bool, _ opened: Set<String>) {
            testDescription = name
            self.lock = lock
            self.isComplete = isComplete
            self.opened = opened
        }
    }

    enum Call: CaseIterable { case read, readKey, list, replace, makeFolder }

    private func make(_ call: Call, at path: String, in name: String) throws(FileError) {
        switch call {
        case .read: _ = try WholeFile.read(path, byteCountMax: 1)
        case .readKey: _ = try PrivateFile.read(path, exampleKeys: .refused)
        case .list: _ = try PrivateFolder.names(folder.path(name), countMax: 9)
        case .replace: try WholeFile.write([2], to: path, access: Self.access(name))
        case .makeFolder: try PrivateFolder.make(path + "-folder", protection: Self.protection(name))
        }
    }

    private func set(_ state: State) {
        device.change {
            $0.lock = state.lock
            $0.isCompleteByDefault = state.isComplete
        }
    }

    /// - Returns: the error code; 0 for none, and nil for another kind of error.
    private func code(of call: Call, at path: String, in name: String) -> Int32? {
        device.run {
            do throws(FileError) {
                try make(call, at: path, in: name)
                return 0
            } catch {
                if case .system(_, _, let code) = error { return code }
                return error == .notFound(path: path) ? ENOENT : nil
            }
        }
    }

    @Test(arguments: State.all)
    func `a file is opened, listed, replaced and made as its class allows`(_ state: State) {
        set(state)
        for name in ["none", "until", "unmarked"] {
            let path = folder.path(name + "/file")
            let expected: Int32 = state.opened.contains(name) ? 0 : EPERM
            for call in Call.allCases {
                #expect(code(of: call, at: path, in: name) == expected, "\(name), \(call)")
            }
            // A missing file is reported without a key.
            #expect(code(of: .read, at: path + "-none", in: name) == ENOENT)
        }
    }

    @Test(arguments: State.all)
    func `a name is removed without a key`(_ state: State) throws {
        set(state)
        for name in ["none", "until", "unmarked"] {
            try device.run { try PrivateFolder.remove(folder.path(name + "/file")) }
        }
        #expect(try folder.names().count == 3)
    }

    @Test func `before the first unlock a file of class None is made only in a folder of class None`() throws {
        set(State.all[3])
        try device.run { try WholeFile.write([1], to: folder.path("none/new"), access: .protected(.always)) }
        for path in ["until/new", "unmarked/new", "new"].map({ folder.path($0) }) {
            #expect(throws: FileError.system(call: "open", path: path, code: EPERM)) {
                try device.run { try WholeFile.write([1], to: path, access: .protected(.always)) }
            }
        }
        #expect(throws: FileError.self) {
            try device.run {
                try WholeFile.write([1], to: folder.path("none/other"), access: .protected(.untilFirstUnlock))
            }
        }
    }

    @Test func `a file without a class has that of the nearest folder that has one`() throws {
        try WholeFile.write([1], to: folder.path("none/plain"), access: .ownerOnly)
        set(State.all[4])
        #expect(try device.run { try WholeFile.read(folder.path("none/plain"), byteCountMax: 1) } == [1])
    }

    @Test func `a class stays with a file that is renamed, and is that of the file that takes its place`() throws {
        let path = folder.path("unmarked/file")
        #expect(FileProtection.find(at: path) == .unmarked)
        try WholeFile.write([2], to: path, access: .protected(.always))
        #expect(FileProtection.find(at: path) == .marked(.always))
        #expect(FileProtection.find(at: path + "-none") == .absent)
        #expect(FileProtection.untilFirstUnlock.set(at: path) == nil)
        #expect(FileProtection.find(at: path) == .marked(.untilFirstUnlock))
        #expect(FileProtection.always.set(at: path + "-none") == ENOENT)
    }
}
#endif
