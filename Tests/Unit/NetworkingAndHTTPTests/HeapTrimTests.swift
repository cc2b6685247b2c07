import Testing

@testable import Networking

@Suite struct HeapTrimTests {
    private static let megabyte = 1 << 20

    @Test func `memory that was freed after a flood is given back, once`() {
        var heap = HeapTrim()
        // 40 MB are not heap, so there is nothing to release.
        #expect(heap.isDue(resident: 60 * Self.megabyte, inUse: 20 * Self.megabyte) == false)
        // The flood: all of it is in use.
        #expect(heap.isDue(resident: 340 * Self.megabyte, inUse: 300 * Self.megabyte) == false)
        #expect(heap.isDue(resident: 340 * Self.megabyte, inUse: 20 * Self.megabyte) == true)
        heap.didTrim(resident: 62 * Self.megabyte, inUse: 20 * Self.megabyte)
        #expect(heap.isDue(resident: 62 * Self.megabyte, inUse: 20 * Self.megabyte) == false)
        #expect(heap.isDue(resident: 70 * Self.megabyte, inUse: 20 * Self.megabyte) == false)
        #expect(heap.isDue(resident: 78 * Self.megabyte, inUse: 20 * Self.megabyte) == true)
    }

    @Test func `what a trim could not give back is not tried again`() {
        var heap = HeapTrim()
        #expect(heap.isDue(resident: 60 * Self.megabyte, inUse: 20 * Self.megabyte) == false)
        #expect(heap.isDue(resident: 160 * Self.megabyte, inUse: 20 * Self.megabyte) == true)
        heap.didTrim(resident: 150 * Self.megabyte, inUse: 20 * Self.megabyte)
        #expect(heap.isDue(resident: 160 * Self.megabyte, inUse: 20 * Self.megabyte) == false)
    }
}
