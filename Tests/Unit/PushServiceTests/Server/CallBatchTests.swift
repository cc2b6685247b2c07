import Networking
import PushStore
import Testing

@testable import PushService

struct CallBatchTests {
    private final class Item {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private final class Stage {
        var calls: [(items: [Int], end: ([StoreError?]) -> Void)] = []
        var delivered: [(item: Int, error: StoreError?)] = []
        var batch: CallBatch<Item>?

        func add(_ number: Int, patience: Duration = .zero) { batch?.add(Item(number), patience: patience) }
    }

    /// Runs each step in a turn of its own.
    private static func run(
        weightMax: Int = .max,
        interval: Duration = .zero,
        _ steps: [@Sendable (LoopBound<Stage>) -> Void]
    ) async throws {
        let loop = try EventLoop()
        let stage = LoopBound(Stage(), to: loop)
        await loop.run {
            let box = stage
            stage.value.batch = CallBatch(
                loop,
                weightMax: weightMax,
                weight: { $0.number },
                interval: interval,
                call: { items, end in box.value.calls.append((items.map(\.number), end)) },
                deliver: { box.value.delivered.append(($0.number, $1)) }
            )
        }
        for step in steps { await loop.run { step(stage) } }
        await loop.run {
            // Each call keeps its batch, which keeps the stage.
            stage.value.calls = []
            stage.value.batch = nil
        }
        loop.stop()
    }

    @Test func `what comes while a call is under way goes into the next one`() async throws {
        try await Self.run([
            { for number in 1...3 { $0.value.add(number) } },
            { stage in
                #expect(stage.value.calls.map(\.items) == [[1, 2, 3]])
                stage.value.add(4)
                stage.value.add(5)
            },
            { stage in
                #expect(stage.value.calls.count == 1)
                stage.value.calls[0].end([nil, .full, nil])
            },
            { stage in
                #expect(stage.value.calls.map(\.items) == [[1, 2, 3], [4, 5]])
                #expect(stage.value.delivered.map(\.item) == [1, 2, 3])
                #expect(stage.value.delivered.map(\.error) == [nil, .full, nil])
            },
        ])
    }

    @Test func `what comes soon after a call's start waits for the interval's end`() async throws {
        let steps: [@Sendable (LoopBound<Stage>) -> Void] = [
            { $0.value.add(1) },
            { stage in
                stage.value.calls[0].end([nil])
                stage.value.add(2)
                stage.value.add(3)
            },
        ]
        try await Self.run(interval: .seconds(3_600), steps + [{ #expect($0.value.calls.map(\.items) == [[1]]) }])
        let loop = try EventLoop()
        let (starts, ends) = AsyncStream<[Int]>.makeStream()
        var calls = starts.makeAsyncIterator()
        let batch = await loop.run {
            let batch = CallBatch<Item>(loop, interval: .milliseconds(2)) { items, end in
                ends.yield(items.map(\.number))
                end(items.map { _ in nil })
            } deliver: { _, _ in
            }
            batch.add(Item(1))
            return LoopBound(batch, to: loop)
        }
        #expect(await calls.next() == [1])
        await loop.run { for number in 2...3 { batch.value.add(Item(number)) } }
        #expect(await calls.next() == [2, 3])
        loop.stop()
    }

    @Test func `what has patience joins the next call of what has none, also behind a call under way`() async throws {
        try await Self.run([
            { $0.value.add(1, patience: .seconds(3_600)) },
            { stage in
                #expect(stage.value.calls.isEmpty)
                stage.value.add(2)
            },
            { stage in
                #expect(stage.value.calls.map(\.items) == [[1, 2]])
                stage.value.add(3, patience: .seconds(3_600))
                stage.value.calls[0].end([nil, nil])
            },
            { stage in
                #expect(stage.value.calls.count == 1)
                stage.value.add(4)
            },
            { #expect($0.value.calls.map(\.items) == [[1, 2], [3, 4]]) },
        ])
    }

    @Test func `what has patience is called alone when that is over`() async throws {
        let loop = try EventLoop()
        let (starts, ends) = AsyncStream<[Int]>.makeStream()
        var calls = starts.makeAsyncIterator()
        let batch = await loop.run {
            let batch = CallBatch<Item>(loop) { items, end in
                ends.yield(items.map(\.number))
                end(items.map { _ in nil })
            } deliver: { _, _ in
            }
            for number in 1...2 { batch.add(Item(number), patience: .milliseconds(2)) }
            return LoopBound(batch, to: loop)
        }
        #expect(await calls.next() == [1, 2])
        await loop.run { batch.value.add(Item(3), patience: .milliseconds(2)) }
        #expect(await calls.next() == [3])
        loop.stop()
    }

    @Test func `a call has no more weight than it may, unless its first item has`() async throws {
        try await Self.run(
            weightMax: 10,
            [
                { for number in [4, 6, 1, 50, 3, 7, 1] { $0.value.add(number) } },
                { stage in
                    #expect(stage.value.calls.last?.items == [4, 6])
                    stage.value.calls[0].end([nil, nil])
                },
                { stage in
                    #expect(stage.value.calls.last?.items == [1])
                    stage.value.calls[1].end([nil])
                },
                { stage in
                    #expect(stage.value.calls.last?.items == [50])
                    stage.value.calls[2].end([nil])
                },
                { stage in
                    #expect(stage.value.calls.last?.items == [3, 7])
                    stage.value.calls[3].end([nil, nil])
                },
                { stage in
                    #expect(stage.value.calls.last?.items == [1])
                    stage.value.calls[4].end([nil])
                    #expect(stage.value.delivered.map(\.item) == [4, 6, 1, 50, 3, 7, 1])
                },
            ]
        )
    }

    @Test func `where one may have failed the others each gets a call of its own, and a second failure is its own`()
        async throws
    {
        try await Self.run([
            { for number in 1...2 { $0.value.add(number) } },
            { $0.value.calls[0].end([.damaged, .damaged]) },
            { stage in
                #expect(stage.value.calls.map(\.items) == [[1, 2], [1]] && stage.value.delivered.isEmpty)
                stage.value.calls[1].end([.damaged])
            },
            { stage in
                #expect(stage.value.calls.map(\.items) == [[1, 2], [1], [2]])
                stage.value.calls[2].end([nil])
            },
            { stage in
                #expect(stage.value.delivered.map(\.item) == [1, 2])
                #expect(stage.value.delivered.map(\.error) == [.damaged, nil])
            },
        ])
    }
}
