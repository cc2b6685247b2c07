import Foundation
import TestSupport
import Testing
import VectorKit

enum CommittedVectors {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors/sealedpush")

    static func load() throws -> [Vector] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { name in
            let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
            return try Vector(name: String(name.dropLast(".txt".count)), file: bytes)
        }
    }
}

struct VectorTests {
    /// Sealing to given bytes needs a repeatable signature.
    private static func names() throws -> [String] {
        try CommittedVectors.load().map(\.name).filter { Signatures.areRepeatable || !$0.hasPrefix("seal-") }
    }

    @Test(arguments: try names())
    func `each vector comes out as it says`(_ name: String) throws {
        let file = CommittedVectors.folder.appendingPathComponent(name + ".txt")
        let vector = try Vector(name: name, file: Array(try Data(contentsOf: file)))
        let result = try VectorRun.run(vector)
        let title = try vector.required("title")
        #expect(result.actual == result.expected, "\(name): \(title)")
    }

    @Test(.enabled(if: Signatures.areRepeatable))
    func `the vectors are those that the generator makes`() throws {
        let committed = try CommittedVectors.load()
        let made = try AllVectors.make()
        #expect(Set(committed.map(\.name)) == Set(made.map(\.name)))
        let files = Dictionary(uniqueKeysWithValues: committed.map { ($0.name, $0.file) })
        for vector in made {
            let isSame = files[vector.name] == vector.file
            #expect(isSame, "\(vector.name): make it again with 'sealedpush-vectors generate'")
        }
    }

    @Test func `a vector is read and written the same`() throws {
        for vector in try CommittedVectors.load() {
            let file = CommittedVectors.folder.appendingPathComponent(vector.name + ".txt")
            #expect(try Array(Data(contentsOf: file)) == vector.file)
        }
    }
}
