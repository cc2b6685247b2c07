import AttachmentStream
import Envelope
import Primitives
import TestSupport

enum AttachmentStreamVectors {
    static func make() -> [Vector] { opened() + shortened() + moved() + foreign() }

    private static func opened() -> [Vector] {
        let lengths: [(String, String, Int)] = [
            ("empty", "an empty file", 0), ("one", "a file of one byte", 1),
            ("padded", "a file of 1,000 bytes, which is padded to 1,024", 1_000),
            ("chunk-less-one", "a byte less than a chunk, padded to one", 16_383),
            ("chunk", "one whole chunk, and an empty one that ends it", 16_384),
            ("chunk-and-one", "a byte more than a chunk", 16_385),
            ("three-chunks", "two whole chunks and a shorter one", 34_816),
            ("whole-chunks", "three whole chunks, and an empty one that ends them", 49_152),
        ]
        return lengths.map { name, title, byteCount in
            let scene = AttachmentScene(name, byteCount: byteCount)
            return scene.vector(name, title, scene.sealed, "opened", cases: [55])
        }
    }

    /// Cut, and extended.
    private static func shortened() -> [Vector] {
        let scene = AttachmentScene("length", byteCount: 34_816)
        let chunks = scene.chunks
        let cuts: [(String, String, Int)] = [
            ("nothing", "no bytes at all", 0), ("salt", "a part of the salt", 10),
            ("no-commitment", "the salt alone", 24),
            ("commitment", "a part of the commitment", 55), ("head", "the head without a chunk", 56),
            ("tag-short", "a chunk too short for its tag", 71), ("in-chunk", "cut in the first chunk", 5_000),
            ("chunk-0", "cut behind the first chunk", chunks[0].upperBound),
            ("chunk-1", "the last chunk is missing", chunks[1].upperBound),
            ("byte", "the last byte is missing", scene.sealed.count - 1),
        ]
        let whole = AttachmentScene("whole", byteCount: 32_768)
        return cuts.map { name, title, count in
            scene.vector("cut-\(name)", title, Array(scene.sealed[..<count]), "truncated", cases: [54])
        } + [
            whole.vector(
                "cut-empty-chunk",
                "whole chunks without the empty one that ends them",
                whole.sealed.dropLast(16),
                "truncated",
                cases: [54, 55]
            ),
            scene.vector("trailing-byte", "a byte behind the end", scene.sealed + [0], "too-long", cases: [53, 55]),
            scene.vector(
                "last-chunk-twice",
                "the last chunk twice",
                scene.sealed + scene.sealed[chunks[2]],
                "too-long",
                cases: [53, 55]
            ),
            scene.vector(
                "trailing-chunk",
                "zeros as long as a chunk behind the end",
                scene.sealed + [UInt8](repeating: 0, count: 16_400),
                "too-long",
                cases: [53, 55]
            ),
        ]
    }

    /// The right length, and one part in the wrong place.
    private static func moved() -> [Vector] {
        let scene = AttachmentScene("order", byteCount: 49_152)
        // Another file under the same key and context: only its salt differs.
        let other = AttachmentScene("order", byteCount: 49_152, salt: 2)
        let chunks = scene.chunks
        let faults: [(String, String, (inout [UInt8]) -> Void)] = [
            (
                "swapped", "the first two chunks in the other order",
                {
                    $0.replaceSubrange(chunks[0], with: scene.sealed[chunks[1]])
                    $0.replaceSubrange(chunks[1], with: scene.sealed[chunks[0]])
                }
            ),
            (
                "doubled", "the first chunk in the place of the second, too",
                { $0.replaceSubrange(chunks[1], with: scene.sealed[chunks[0]]) }
            ),
            (
                "of-another-file", "the second chunk of another file with the same key and id",
                { $0.replaceSubrange(chunks[1], with: other.sealed[chunks[1]]) }
            ),
            (
                "end-of-another-file", "the end of another file with the same key and id",
                { $0.replaceSubrange(chunks[3], with: other.sealed[chunks[3]]) }
            ),
            ("flip-first", "a bit of the first chunk", { $0[56] ^= 1 }),
            ("flip-tag", "a bit of the second chunk's tag", { $0[chunks[1].upperBound - 1] ^= 0x80 }),
            ("flip-end", "a bit of the empty last chunk's tag", { $0[chunks[3].lowerBound] ^= 1 }),
        ]
        return faults.map { name, title, change in
            var sealed = scene.sealed
            change(&sealed)
            return scene.vector(name, title, sealed, "damaged", cases: [54])
        }
    }

    /// Another key, id, salt or commitment; another length inside than the pointer gives.
    private static func foreign() -> [Vector] {
        let scene = AttachmentScene("foreign", byteCount: 100)
        let padded = AttachmentScene("padding", byteCount: 100, padding: [0, 0, 1, 0])
        let shorter = AttachmentScene("shorter", byteCount: 104)
        var salt = scene.sealed
        salt[3] ^= 1
        var commitment = scene.sealed
        commitment[55] ^= 1
        return [
            scene.replacing(key: 1).vector("wrong-key", "another key", scene.sealed, "wrong-key", cases: [56]),
            scene.replacing(id: 1).vector(
                "wrong-id",
                "another attachment's id",
                scene.sealed,
                "wrong-key",
                cases: [56]
            ),
            scene.vector("salt", "a bit of the salt", salt, "wrong-key", cases: [56]),
            scene.vector("commitment", "a bit of the commitment", commitment, "wrong-key", cases: [56]),
            padded.vector("padding", "padding that is not zero", padded.sealed, "wrong-padding", cases: [53]),
            shorter.replacing(byteCount: 103).vector(
                "shorter",
                "a length that is one less than the file's, with the same padded length",
                shorter.sealed,
                "wrong-padding",
                cases: [53]
            ),
        ]
    }
}
