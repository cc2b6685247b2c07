# A newcomer's two commands are `make demo` and `make test`; both install what is missing first.

.PHONY: help demo demo-playground demo-gateway demo-cluster test build site release dist review-pack version bench image lint vectors test-asan test-tsan prerequisites clean

# The first build takes minutes: a terminal shows progress, a pipe only errors.
QUIET := $(shell test -t 2 || echo --quiet)
ASAN := --sanitize=address --scratch-path .build/address
TSAN := --sanitize=thread --scratch-path .build/thread -Xswiftc -DSEALEDPUSH_THREAD_SANITIZER

help:
	@echo 'make demo       a sealed message goes from a file to a lock screen'
	@echo 'make demo-playground  a page that composes, fires and shows pushes; Ctrl-C ends it'
	@echo 'make demo-gateway  three servers that the publisher does not know push to one phone, until it has enough'
	@echo 'make demo-cluster  three relays on PostgreSQL; a relay and the primary are killed, and nothing is lost'
	@echo 'make test       every test'
	@echo 'make build      the command line, host of attachments, sidecar and service, as .build/debug/sealedpush, -blobs, -sidecar and sealedpushd'
	@echo 'make site       the documents and all public symbols as web pages, .build/site'
	@echo 'make lint       swift-format, strict'
	@echo 'make vectors    write Tests/Conformance/Vectors/sealedpush anew'
	@echo 'make release    optimised builds of these four, which need no Swift where they run'
	@echo 'make dist       archive, Debian packages, SHA256SUMS and SBOM of these, .build/dist'
	@echo 'make review-pack  what a security reviewer needs, .build/review-pack; takes hours, scripts/review-pack --quick does not'
	@echo 'make bench      an optimised build of what measures, .build/release/sealedpush-bench'
	@echo 'make image      a container image of the service'
	@echo 'make test-asan  the tests under the address sanitizer'
	@echo 'make test-tsan  the tests under the thread sanitizer'
	@echo 'make clean      remove .build'

prerequisites:
	@scripts/prerequisites

build: prerequisites
	@scripts/swift build $(QUIET) --product sealedpush
	@scripts/swift build $(QUIET) --product sealedpush-blobs
	@scripts/swift build $(QUIET) --product sealedpush-sidecar
	@scripts/swift build $(QUIET) --product sealedpushd

# These are part of no program.
site: build
	@scripts/swift build $(QUIET) --target CryptoKit
	@scripts/swift build $(QUIET) --target Security
	@scripts/swift build $(QUIET) --target OSLog
	@scripts/site

demo: build
	@TMPDIR=$(CURDIR)/.build/tmp .build/debug/sealedpush demo --screen .build/lock-screen.svg

demo-playground: build
	@TMPDIR=$(CURDIR)/.build/tmp exec .build/debug/sealedpush simulate --playground --quiet --folder .build/playground \
		--port 0 --device-port 0 --control-port 0 --app com.example.chat

demo-gateway: build
	@scripts/swift build $(QUIET) --product EndToEndExtension
	@Tests/Conformance/Service/gateway --tell

demo-cluster: prerequisites
	@scripts/prerequisites openssl python3 postgresql
	@scripts/swift build $(QUIET) --product sealedpush
	@scripts/swift build $(QUIET) --product sealedpushd
	@Tests/Conformance/Service/cluster --tell

# XCTest has nothing to run here, and its report reads like an empty run.
test: prerequisites
	@scripts/prerequisites curl postgresql
	@scripts/swift build $(QUIET) --build-tests
	@scripts/watched --quietly scripts/swift test --skip-build --disable-xctest --quiet

# Left out under a sanitizer, for their length: the house rules, which read text, and suites that run the same code many
# times over (every bit of an envelope, 10,000 payloads, 262,144 orders of events, the replay window full, against a
# model, cut, damaged and killed, a ring that dies at every step, a provider under hundreds of random faults); the
# command line's words, examples, demos and the end-to-end suite (many processes each) and benches; tests of deadlines,
# which the sanitizer alone makes late; extensions with a limit of memory, which it takes itself; the search for keys in
# memory, because the sanitizer keeps freed blocks.
SANITIZER_SKIP := HouseTests|TamperingTests|PayloadAllowListTests|OrderTests|DeliveryMachineTests|UsageTests|$\
	ExampleTests|DemoTests|BenchTests|CapacityTests|ModelTests|FloorTests|ProcessTests|ProviderScheduleTests|SliceTests|WebhookReuseTests|TLSIdentitySecrecyTests|HMACSecrecyTests|CrashTests|$\
	FaultTests|CutTests|MessengerExtensionTests|PlaceholderTests|BusyMachineTests|EndToEndTests\.(Message|Delivery|Call)Tests|SidecarTests\.Sidecar(Crash)?Tests

# Left to .ci/full, for their length: the same code at every bit, byte or page, or through long sequences; vectors and
# the relay's API, whose parsers the fuzz targets run under it; the simulator; programs as processes.
ASAN_LATER := KeyBundleRefusalTests|BundlePinCheckTests|MessageShorteningTests|TraceIndexTests|DamagedPageTests|$\
	PowerLossTests|VectorTests|KeyFileRoundTripTests|KeyFileTests|ClaimTests|UnknownBootTests|LegacyDeliveryTests|$\
	PushServiceTests|ReceiptRunTests|FairnessTests|WebPushKeysTests|APNSSimulatorTests|CommandLineTests|$\
	sealedpushdTests\.(Check|WrongStart|Manual|LinkedSymbol|TenantShare|LogScarcity|Log)Tests

# Without the search for leaks: extensions in the test's process that wait by the device's clock when the test is over,
# unsent reports among them, which a stopped clock never wakes; and a test of FallbackRunnerTests that ends with a
# waiting task. Each stack found was the harness's clock's, its stand-in for CallKit's or that test's; none was a leak
# of code that runs on a phone; nor do the stand-ins for Foundation and CryptoKit run there. Not at all: a bad address,
# which the sanitizer reports itself, without a signal.
# Tests/Tools/foundation-leaks.txt has Foundation's leaks, and those that the sanitizer cannot see.
ASAN_LEAKY := FallbackRunnerTests|AppleFoundationTests|CryptoKitTests|ExtensionHarnessTests|DocumentedCodeTests|IncomingCallsTests|NotificationServiceExtensionTests|NotificationCoreTests

test-asan: prerequisites
	@scripts/swift build $(QUIET) --build-tests $(ASAN)
	@LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Tools/foundation-leaks.txt:print_suppressions=0 \
		scripts/watched scripts/swift test --skip-build --disable-xctest --quiet $(ASAN) --skip '$(SANITIZER_SKIP)|$(ASAN_LEAKY)|$(ASAN_LATER)'
	@ASAN_OPTIONS=detect_leaks=0 scripts/watched scripts/swift test --skip-build --disable-xctest --quiet $(ASAN) \
		--filter '$(ASAN_LEAKY)' --skip '$(SANITIZER_SKIP)|BrokenExtensionTests'

# A debug build: see Guarded. Without tests for which a program under this sanitizer lacks memory, addresses or the right
# to write a file of its own.
TSAN_SKIP := $(SANITIZER_SKIP)|BrokenExtensionTests|SmallMachineTests|a file that may not grow

test-tsan: prerequisites
	@scripts/swift build $(QUIET) --build-tests $(TSAN)
	@scripts/watched scripts/swift test --skip-build --disable-xctest --quiet $(TSAN) \
		--skip '$(TSAN_SKIP)'

release: prerequisites
	@scripts/build-date
	@scripts/swift build $(QUIET) --configuration release --static-swift-stdlib --product sealedpush
	@scripts/swift build $(QUIET) --configuration release --static-swift-stdlib --product sealedpush-blobs
	@scripts/swift build $(QUIET) --configuration release --static-swift-stdlib --product sealedpush-sidecar
	@scripts/swift build $(QUIET) --configuration release --static-swift-stdlib --product sealedpushd

# The newest version that the changelog has. 'make dist VERSION=0.1.0' gives another.
VERSION = $(shell sed -n 's/^## \([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p' CHANGELOG.md | head -n 1)

version:
	@echo $(VERSION)

dist: release
	@scripts/prerequisites dpkg-dev chrpath xz-utils python3
	@rm -rf .build/dist
	@packaging/dist "$(VERSION)" .build/release .build/dist

# With the results of tests, fuzz targets, models and constant time, and a release.
review-pack: test
	@scripts/prerequisites valgrind spin gcc python3 python3-cryptography
	@scripts/review-pack

bench: prerequisites
	@scripts/swift build $(QUIET) --configuration release --static-swift-stdlib --product sealedpush-bench

image:
	@$(shell command -v podman || echo docker) build -f packaging/Containerfile -t sealedpushd .

vectors: prerequisites
	@scripts/swift build $(QUIET) --product sealedpush-vectors
	@rm -f Tests/Conformance/Vectors/sealedpush/*.txt
	@.build/debug/sealedpush-vectors generate Tests/Conformance/Vectors/sealedpush

# Files of strangers (extension templates, example packages) keep their own style.
lint:
	@find Package.swift Sources Benchmarks Tests Fuzz AppleSide -name '*.swift' -not -path 'Tests/Conformance/Strangers/*' -print0 \
		| xargs -0 swift format lint --strict --parallel
	@scripts/linux-names

clean:
	rm -rf .build
