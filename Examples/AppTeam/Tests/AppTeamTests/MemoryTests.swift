import ExtensionHarness
import Testing

/// Limits that only a process of the extension's own can show: see PhotoExtensionHost.
@Suite struct MemoryTests {
  let device = Device(process: .built("PhotoExtensionHost"))

  /// A process has real time, and a busy build machine may need more of it than a phone.
  init() { device.conditions.limits.time = .seconds(600) }

  @Test func `an ordinary photo fits`() async throws {
    let shown = try await device.deliver(PhotoTests.push(photo: "prompt/cat.png"))

    #expect(shown.why == .answered)
    #expect(shown.body == "Look at this!")
  }

  @Test func `an ordinary photo fits on an iPhone X`() async throws {
    device.conditions.memoryLimit = .medium
    let shown = try await device.deliver(PhotoTests.push(photo: "prompt/cat.png"))

    #expect(shown.why == .answered)
  }

  @Test func `a huge photo takes the text with it`() async throws {
    let shown = try await device.deliver(PhotoTests.push(photo: "huge/cat.png"))

    guard case .ended(.killedForMemory) = shown.why else {
      Issue.record("\(shown)")
      return
    }
    #expect(shown.body == "A photo")
  }
}
