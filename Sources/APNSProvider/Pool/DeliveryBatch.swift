import APNS

/// Collects answers in the pushes' order. Lives on the loop.
final class DeliveryBatch {
    private var results: [Result<APNSResponse, ProviderError>]
    private var missingCount: Int
    private var completion: (([Result<APNSResponse, ProviderError>]) -> Void)?

    init(count: Int, completion: @escaping ([Result<APNSResponse, ProviderError>]) -> Void) {
        results = Array(repeating: .failure(.closed), count: count)
        missingCount = count
        self.completion = completion
    }

    func didFinish(_ index: Int, _ result: Result<APNSResponse, ProviderError>) {
        results[index] = result
        missingCount -= 1
        guard missingCount == 0 else { return }
        completion?(results)
        completion = nil
    }
}
