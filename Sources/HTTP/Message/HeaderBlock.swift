import Glibc

/// Message's fields in order, with duplicates and pseudo-headers, in two allocations.
package struct HeaderBlock: Sendable, Equatable {
    /// HPACK's choices for a field (RFC 7541 section 6.2).
    package enum Indexing: UInt8, Sendable {
        /// Remembered by both ends: for repeated values.
        case indexed
        /// Not remembered: for unique values. nghttp2 sends it as `neverIndexed`.
        case notIndexed
        /// Nor by any intermediary: for secrets.
        case neverIndexed
    }

    struct Entry: Equatable {
        var start: Int32
        var nameByteCount: Int32
        var valueByteCount: Int32
        var indexing: Indexing
    }

    package struct Field {
        package let name: ArraySlice<UInt8>
        package let value: ArraySlice<UInt8>
        package let indexing: Indexing
    }

    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []

    package init() {}

    package mutating func reserveCapacity(byteCount: Int, fieldCount: Int) {
        bytes.reserveCapacity(byteCount)
        entries.reserveCapacity(fieldCount)
    }

    // MARK: Writing

    /// Appends a field. Names are lower case (RFC 9113 section 8.2); pseudo-headers come first.
    package mutating func append(_ name: StaticString, _ value: [UInt8], indexing: Indexing = .indexed) {
        appendName(name)
        bytes += value
        appendEntry(nameByteCount: name.utf8CodeUnitCount, valueByteCount: value.count, indexing)
    }

    package mutating func append(_ name: StaticString, _ value: ArraySlice<UInt8>, indexing: Indexing = .indexed) {
        appendName(name)
        bytes += value
        appendEntry(nameByteCount: name.utf8CodeUnitCount, valueByteCount: value.count, indexing)
    }

    package mutating func append(_ name: StaticString, _ value: StaticString, indexing: Indexing = .indexed) {
        appendName(name)
        appendName(value)
        appendEntry(nameByteCount: name.utf8CodeUnitCount, valueByteCount: value.utf8CodeUnitCount, indexing)
    }

    package mutating func append(
        _ name: StaticString,
        indexing: Indexing = .indexed,
        _ write: (inout [UInt8]) -> Void
    ) {
        appendName(name)
        let valueStart = bytes.count
        write(&bytes)
        precondition(bytes.count >= valueStart)
        appendEntry(nameByteCount: name.utf8CodeUnitCount, valueByteCount: bytes.count - valueStart, indexing)
    }

    package mutating func append(_ name: [UInt8], _ value: [UInt8], indexing: Indexing = .indexed) {
        bytes += name
        bytes += value
        appendEntry(nameByteCount: name.count, valueByteCount: value.count, indexing)
    }

    package mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>, indexing: Indexing = .indexed) {
        unsafe name.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        unsafe value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        appendEntry(nameByteCount: name.count, valueByteCount: value.count, indexing)
    }

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        bytes.append(addingCapacity: name.count + value.count) { bytes in
            unsafe bytes.withUnsafeMutableBufferPointer { bytes, count in
                guard let start = bytes.baseAddress else { return }
                if let source = name.baseAddress { unsafe memcpy(start, source, name.count) }
                if let source = value.baseAddress { unsafe memcpy(start + name.count, source, value.count) }
                count = name.count + value.count
            }
        }
        appendEntry(nameByteCount: name.count, valueByteCount: value.count, .indexed)
    }

    private mutating func appendName(_ text: StaticString) {
        precondition(text.hasPointerRepresentation)
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func appendEntry(nameByteCount: Int, valueByteCount: Int, _ indexing: Indexing) {
        entries.append(
            Entry(
                start: Int32(bytes.count - nameByteCount - valueByteCount),
                nameByteCount: Int32(nameByteCount),
                valueByteCount: Int32(valueByteCount),
                indexing: indexing
            )
        )
    }

    /// Keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    var hasSmallMemory: Bool { bytes.capacity <= 1024 && entries.capacity <= 16 }

    /// Keeps the memory of the bytes, and shares the entries: fields of the same lengths overwrite only bytes.
    package mutating func replaceAll(with block: HeaderBlock) {
        bytes.removeAll(keepingCapacity: true)
        bytes += block.bytes
        entries = block.entries
    }

    /// Lends all bytes, to overwrite a field's value from its start on.
    package mutating func overwrite(_ index: Int, _ body: (inout MutableSpan<UInt8>, _ start: Int) -> Void) {
        let start = Int(entries[index].start + entries[index].nameByteCount)
        var bytes = bytes.mutableSpan
        body(&bytes, start)
    }

    mutating func append(contentsOf block: HeaderBlock) {
        let (distance, first) = (bytes.count, entries.count)
        bytes += block.bytes
        entries += block.entries
        guard distance > 0 else { return }
        for index in first..<entries.count { entries[index].start += Int32(distance) }
    }

    // MARK: Reading

    package var count: Int { entries.count }

    package subscript(index: Int) -> Field {
        let entry = entries[index]
        let valueStart = Int(entry.start + entry.nameByteCount)
        return Field(
            name: bytes[Int(entry.start)..<valueStart],
            value: bytes[valueStart..<valueStart + Int(entry.valueByteCount)],
            indexing: entry.indexing
        )
    }

    /// First value of this name, compared byte by byte.
    package subscript(name: StaticString) -> ArraySlice<UInt8>? {
        for index in entries.indices where isNamed(name, entries[index]) {
            return self[index].value
        }
        return nil
    }

    // Parts of one field: a `Field` retains the bytes twice.

    package func nameByteCount(of index: Int) -> Int { Int(entries[index].nameByteCount) }

    package func isNamed(_ name: StaticString, at index: Int) -> Bool { isNamed(name, entries[index]) }

    package func haveSameName(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (entries[one], entries[other])
        guard one.nameByteCount == other.nameByteCount else { return false }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start + Int(one.start), start + Int(other.start), Int(one.nameByteCount)) == 0
        }
    }

    package func value(of index: Int) -> ArraySlice<UInt8> {
        let entry = entries[index]
        let start = Int(entry.start + entry.nameByteCount)
        return bytes[start..<start + Int(entry.valueByteCount)]
    }

    package func count(of name: StaticString) -> Int {
        entries.count { isNamed(name, $0) }
    }

    func byteCount(of index: Int) -> Int {
        Int(entries[index].nameByteCount) + Int(entries[index].valueByteCount)
    }

    /// - Returns: first field from `index` on that `other` does not have in its place.
    func endOfSame(as other: HeaderBlock, from index: Int) -> Int {
        var end = index
        while hasSameForm(as: other, at: end), entries[end].valueByteCount == other.entries[end].valueByteCount,
            hasSameBytes(as: other, at: end, byteCount: byteCount(of: end))
        {
            end += 1
        }
        return end
    }

    /// True if both fields in this place are outside the table and have one name.
    func hasSameName(as other: HeaderBlock, at index: Int) -> Bool {
        hasSameForm(as: other, at: index) && entries[index].indexing != .indexed
            && hasSameBytes(as: other, at: index, byteCount: Int(entries[index].nameByteCount))
    }

    private func hasSameForm(as other: HeaderBlock, at index: Int) -> Bool {
        guard index < entries.count, index < other.entries.count else { return false }
        let (own, others) = (entries[index], other.entries[index])
        return own.nameByteCount == others.nameByteCount && own.indexing == others.indexing
    }

    private func hasSameBytes(as other: HeaderBlock, at index: Int, byteCount: Int) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { own in
            unsafe other.bytes.withUnsafeBufferPointer { others in
                guard let own = own.baseAddress, let others = others.baseAddress else { return byteCount == 0 }
                let (start, otherStart) = (Int(entries[index].start), Int(other.entries[index].start))
                return unsafe memcmp(own + start, others + otherStart, byteCount) == 0
            }
        }
    }

    private func isNamed(_ name: StaticString, _ entry: Entry) -> Bool {
        guard Int(entry.nameByteCount) == name.utf8CodeUnitCount else { return false }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start + Int(entry.start), name.utf8Start, Int(entry.nameByteCount)) == 0
        }
    }
}

extension HeaderBlock: Sequence {
    package struct Iterator: IteratorProtocol {
        private let block: HeaderBlock
        private var index = 0

        fileprivate init(_ block: HeaderBlock) {
            self.block = block
        }

        package mutating func next() -> Field? {
            guard index < block.count else { return nil }
            index += 1
            return block[index - 1]
        }
    }

    package func makeIterator() -> Iterator {
        Iterator(self)
    }
}
