import CDiskSteps

extension ModelFolder {
    /// The files that a process leaves when it is ended at one of its disk steps: before a write, in the middle of it,
    /// before its sync, before and after a rename or a removal. Step 0 is before the first change. The process itself
    /// runs to its end, and can ask whether that is after the step.
    ///
    /// - Returns: the files at that step; nil where `body` has fewer steps.
    func image(atStep number: Int, of body: (_ isOver: () -> Bool) throws -> Void) throws -> Image? {
        var image: Result<Image, any Error>?
        var count = 0
        try DiskSteps.watch {
            try body { image != nil }
        } onStep: {
            if count == number { image = Result { try self.image() } }
            count += 1
        }
        return try image?.get()
    }
}

enum DiskSteps {
    /// Calls `onStep` at each disk step of `body`; never under the thread sanitizer.
    static func watch(_ body: () throws -> Void, onStep: () -> Void) throws {
        try withoutActuallyEscaping(onStep) { onStep in
            let observer = Observer(onStep)
            unsafe disk_steps_watch(
                { context in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<Observer>.fromOpaque(context).takeUnretainedValue().onStep()
                },
                Unmanaged.passUnretained(observer).toOpaque()
            )
            defer { disk_steps_ignore() }
            try withExtendedLifetime(observer) { try body() }
        }
    }

    private final class Observer {
        let onStep: () -> Void

        init(_ onStep: @escaping () -> Void) { self.onStep = onStep }
    }
}
