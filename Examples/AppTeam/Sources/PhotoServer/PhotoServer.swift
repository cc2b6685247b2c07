import UserNotifications

/// Replaces the server of the photos: no test of ours needs a network.
///
/// The address chooses its behaviour: https://photos.example.com/stalled/cat.png never answers.
public final class PhotoServer: URLProtocol {
  private static let png = Data(
    base64Encoded: """
      iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAADFBMVEWOxf//1gpefEw0qFPMUQj/AAAATklEQVR42tXQMQ6AMAwEQXv9/z8Dik\
      ACnLs2WSnVTeNE7FpeuV2ITCNWAPYK/w9t3Lm9F7xz+0+AFqAFkyzAAuagnjpQn+J8Yh5AtgI4ACMYBF2weqzGAAAAAElFTkSuQmCC
      """
  )!

  /// Use it once before the first push.
  public static let start: Void = { _ = URLProtocol.registerClass(PhotoServer.self) }()

  public override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "photos.example.com" }

  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  public override func startLoading() {
    switch request.url?.pathComponents.dropFirst().first {
    case "stalled": break
    case "lying": answer(Data("<html>Not found</html>".utf8))
    case "huge": answer(Self.png + Data(repeating: 1, count: 64 << 20))
    case "truncated": answer(Self.png.prefix(4))
    default: answer(Self.png)
    }
  }

  public override func stopLoading() {}

  private func answer(_ data: Data) {
    guard let url = request.url, let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: data)
    client?.urlProtocolDidFinishLoading(self)
  }
}
