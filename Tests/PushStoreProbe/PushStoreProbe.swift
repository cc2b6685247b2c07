@main
enum PushStoreProbe { static func main() {} }
