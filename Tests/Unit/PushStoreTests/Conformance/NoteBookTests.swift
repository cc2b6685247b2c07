import PushStore
import PushStorePattern
import Testing

struct NoteBookTests {
    @Test(arguments: StoreEngine.all)
    func `a note is what was written last, also in the next process`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            #expect(try await store.note("quota") == [])
            try await store.setNote("quota", to: [1, 2, 3])
            try await store.setNote("rates", to: [])
            try await store.setNote("quota", to: [4])
        } then: { (store) async throws in
            #expect(try await store.note("quota") == [4])
            #expect(try await store.note("rates") == [])
            #expect(try await store.note("Quota") == [])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `the longest note and the longest name are kept, and longer ones refused`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let name = String(repeating: "n", count: NoteLimits.nameByteCounts.upperBound)
            let bytes = StorePattern.payload(1, byteCount: NoteLimits.byteCounts.upperBound)
            try await store.setNote(name, to: bytes)
            #expect(try await store.note(name) == bytes)
            await #expect(throws: StoreError.byteCount(field: .note, of: NoteLimits.byteCounts)) {
                try await store.setNote(name, to: bytes + [0])
            }
            for bad in ["", name + "n"] {
                await #expect(throws: StoreError.byteCount(field: .noteName, of: NoteLimits.nameByteCounts)) {
                    try await store.setNote(bad, to: [])
                }
                await #expect(throws: StoreError.byteCount(field: .noteName, of: NoteLimits.nameByteCounts)) {
                    _ = try await store.note(bad)
                }
            }
            #expect(try await store.note(name) == bytes)
        }
    }
}
