# The two commands a newcomer needs are `make demo` and `make test`; both install what is missing first.

.PHONY: demo test build release lint test-asan prerequisites clean help

help:
	@echo 'make demo       a sealed message goes from a file to a lock screen'
	@echo 'make test       every test'
	@echo 'make lint       swift-format, strict'
	@echo 'make release    an optimised build'
	@echo 'make test-asan  every test under the address sanitizer'
	@echo 'make clean      remove .build'

prerequisites:
	@scripts/prerequisites

build: prerequisites
	@scripts/swift build --quiet --product sealedpush

demo: build
	@.build/debug/sealedpush demo

test: prerequisites
	@scripts/swift test

release: prerequisites
	@scripts/swift build --configuration release

test-asan: prerequisites
	@scripts/swift test --sanitize=address --scratch-path .build/address --disable-xctest

# Files of strangers (extension templates, example packages) keep their own style.
lint:
	@find Package.swift Sources Tests -name '*.swift' -not -path 'Tests/Strangers/*' -print0 \
		| xargs -0 swift format lint --strict --parallel

clean:
	rm -rf .build
