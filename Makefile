# make help lists the targets.

BACKEND  ?= redlock
WORKLOAD ?=
NEMESIS  ?=
DURATION ?= 30s
CLUSTER  ?= auto
SEED     ?=
SHARD    ?=
RUN      ?=
COMMA    := ,
GO       ?= go
BUDGET   ?= 60m
OUT      ?=
ROUNDS   ?= 5
SEEDS    ?= 10
JOBS     ?= 2
PAIRS    ?= 10
FUZZ     ?= 1000000
FUZZTIME ?= 30s
FUZZ_SEED ?= 20261121

CHECKERS  = timeline checker checker/rule checker/incident checker/invariant checker/linear
SURVIVORS = tools/mutation/survivors.txt
MUTATION  = $(GO) build -C tools/mutation -o $(CURDIR)/bin/mutation . && bin/mutation

# What is tested: the packages of this module, and the modules beside it; with SHARD one part of each.
PACKAGES = $(if $(SHARD),$$($(GO) list ./... | scripts/shard $(SHARD)),./...)
MODULES  = $(if $(SHARD),$$(ls -d examples/gotest drivers/go/* matrix/kubernetes tools/mutation | scripts/shard $(SHARD)),examples/gotest drivers/go/* matrix/kubernetes tools/mutation)

FLAGS = --backend $(BACKEND) --duration $(DURATION) --cluster $(CLUSTER) \
	$(if $(WORKLOAD),--workload $(WORKLOAD)) $(if $(NEMESIS),--nemesis $(NEMESIS)) $(if $(SEED),--seed $(SEED))

.PHONY: help build drivers backends torture explore explored determinism fidelity test test-packages test-modules lint race test-docker kubernetes test-kubernetes image images release servers bench bench-wire bench-simulate clean fuzz fuzz-checkers fuzz-reference bench-checkers thirdparty nightly expected mutation survivors mutants hazards controls searches matrix-summary pictures ledger pages site costs sweep findings apps sample

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo '  variables of make torture: BACKEND WORKLOAD NEMESIS DURATION CLUSTER SEED'

build: ## bin/torture
	@scripts/busy "building bin/torture (the first time about a minute on two cores)" $(GO) build -ldflags "-s -w -X main.commit=$$(git describe --always --dirty 2>/dev/null || echo unknown)" -o bin/torture ./cmd/torture

torture: build ## torture one lock: make torture BACKEND=redlock (needs nothing but Go)
	@bin/torture run $(FLAGS)

explore: build ## search for faults under which a lock breaks, in virtual time: make explore BACKEND=redlock (BUDGET= how long)
	@bin/torture explore $(BACKEND) $(if $(filter command line,$(origin BUDGET)),--budget $(BUDGET)) $(if $(SEED),--seed $(SEED))

determinism: servers ## every lock and the shrunk schedules of results/explore.md in virtual time: one hash in 20 runs of 3 processes (RUNS= PROCESSES=)
	@scripts/busy "testing determinism" $(GO) test ./simulate -run '^TestDeterminism' -count=1 -v -timeout 0 -runs $(or $(RUNS),20) -processes $(or $(PROCESSES),3)

fidelity: servers build ## ten locks without faults in virtual time beside real runs, and what real servers answered beside the stepped one
	@scripts/busy "testing fidelity" $(GO) test ./cmd/torture -run '^TestFidelity$$' -count=1 -v -fidelity

explored: servers build ## searches in virtual time, each against what it must come to in results/explored.txt (SEED= OUT= ONLY= the beginning of a lock's name)
	@scripts/explored "$(SEED)" "$(OUT)" "$(ONLY)"

drivers: build ## the drivers of locks with large libraries (drivers/go), which are otherwise built when they are first asked for
	@bin/torture driver build

backends: servers build ## each lock of torture list backends once for ten seconds, a row for each; fails where one cannot be run (DURATION= ONLY= names)
	@$(if $(filter command line,$(origin DURATION)),DURATION=$(DURATION)) scripts/backends $(ONLY)

hidden: servers build ## seven locks with hidden bugs, and their twins, in gotest: each bug is found, and no twin is flagged
	@cd examples/hidden && ../../scripts/busy "testing examples/hidden" $(GO) test -count=1 -v -timeout 0 ./...

apps: ROUNDS = 1
apps: servers build ## the correct and the broken apps of apps/control: each broken one is found, no correct one is flagged (ROUNDS= DURATION= APPS= LEDGER=)
	@ROUNDS=$(ROUNDS) scripts/apps

servers: ## get the real servers (Go builds some for any user; as root on Debian or Ubuntu it installs the others)
	@scripts/servers

test: servers build ## all the tests, on every backend that can be served here (SHARD=1/4: the first of four parts of them)
	@$(MAKE) --no-print-directory -j2 test-packages test-modules

# go vet looks for all that go test would look for, and more.
test-packages:
	@scripts/busy "looking at the code (go vet)" $(GO) vet $(PACKAGES)
	@scripts/with-engine sh -c '{ ! docker version >/dev/null 2>&1 || scripts/images --needed redis; } && scripts/busy "testing" $(GO) test -vet=off -p 3 -parallel 3 -timeout 60m $(PACKAGES)'

test-modules:
	@cd examples/hidden && ../../scripts/busy "looking at examples/hidden (go vet)" $(GO) vet ./...
	@for m in $(MODULES); do scripts/busy "testing $$m" sh -c "cd $$m && $(GO) vet ./... && $(GO) test -vet=off -timeout 60m ./..." || exit 1; done

lint: ## gofmt, vet and staticcheck over all of it
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "gofmt would change:"; echo "$$out"; exit 1; }
	@scripts/busy "looking at the code (vet, staticcheck)" sh -c '$(GO) vet ./... && $(GO) tool -modfile=tools/lint/go.mod staticcheck ./...'
	@for m in examples/compose examples/gotest examples/hidden drivers/go/* matrix/kubernetes tools/mutation; do scripts/busy "looking at $$m" sh -c "cd $$m && $(GO) vet ./... && $(GO) tool -modfile=$(CURDIR)/tools/lint/go.mod staticcheck ./..." || exit 1; done
	@scripts/busy "looking at what is built in part only" $(GO) vet -tags engine,wasmguests ./cluster/docker ./cmd/torture

# Left out are the browser, and what takes the longest on real servers; its code is raced by the other packages.
race: servers build ## the tests with the race detector, but for those that take the longest (about 17 minutes, cold)
	@scripts/busy "testing with the race detector" $(GO) test -race -p 2 -timeout 30m $$($(GO) list ./... | grep -v -e /locktest -e /browsertest -e /docker -e /linear/bench)

test-docker: export TORTURE_TEST_DOCKER = 1
test-docker: export TORTURE_TEST_CLUSTER = docker
test-docker: build ## conformance, faults and all scenarios in containers; fails where there is no Docker engine and none can be started
	@scripts/with-engine sh -c 'scripts/images --needed \
		&& scripts/busy "testing in containers" $(GO) test -tags engine -count=1 -p 1 -timeout 40m ./cluster/docker ./locks/locktest ./nemesis/nemesistest \
		&& scripts/busy "testing runs in containers" $(GO) test -tags engine -count=1 -timeout 10m -run Docker ./cmd/torture \
		&& { bin/torture scenario run all --cluster docker || [ $$? = 3 ]; }' # 3: some servers have no image

kubernetes: servers ## build the components of a Kubernetes cluster for tests, from the Go module proxy (half an hour on two cores, once)
	@scripts/kubernetes

test-kubernetes: build ## the matrix as pods of a real cluster, which root starts for it (make kubernetes first)
	@scripts/with-kubernetes sh -c 'PATH="$$PWD/bin:$$PATH" scripts/busy "testing on Kubernetes" $(GO) test -count=1 -timeout 15m -run "^TestOnKubernetes" -v ./cmd/torture'

release: ## archives of torture and its drivers for three systems, with checksums (OUT= directory, default bin/release)
	@scripts/release "$(or $(OUT),bin/release)"

image: ## an image with torture, Redis, etcd and PostgreSQL (IMAGE= its name; GO_IMAGE= DEBIAN_IMAGE= GOPROXY= what it is made of, BUILD= flags of docker build)
	@docker build $(BUILD) -t $(or $(IMAGE),torture:latest) $(foreach a,GO_IMAGE DEBIAN_IMAGE GOPROXY GOSUMDB,$(if $($(a)),--build-arg $(a)=$($(a)))) \
		--build-arg COMMIT=$$(git describe --always --dirty) --build-arg SERVERS="redis-server postgresql" .

images: build ## local images of all installed servers, for a Docker engine that reaches no registry
	@scripts/images

bench: servers build ## the benchmarks
	@scripts/busy "benchmarks" $(GO) test -p 1 -run '^$$' -bench . -benchtime 1s ./history ./harness ./locks/driver ./checker ./wire/tape

bench-simulate: servers ## what a run in virtual time costs, also in round trips of two processes and in forks (results/explore.md); on a machine that does nothing else
	@scripts/busy "benchmarks" $(GO) test ./simulate -run '^$$' -bench . -benchtime 3s

bench-wire: build ## what it costs to record the traffic: PAIRS runs with it beside as many without, in turns (BACKEND= DURATION=)
	@scripts/bench-wire $(PAIRS) $(BACKEND) $(DURATION)

fuzz: export FUZZTIME := $(FUZZTIME)
fuzz: ## every fuzz target for FUZZTIME each, two at a time, a line for each; new inputs are kept in bin/fuzz (FUZZONLY= a pattern of names, FUZZJOBS= how many at a time)
	@GO="$(GO)" FUZZONLY="$(FUZZONLY)" FUZZJOBS="$(FUZZJOBS)" scripts/fuzz

fuzz-checkers: ## the checkers against porcupine, a million random histories for each model (FUZZ= and FUZZ_SEED= change that)
	@scripts/busy "comparing with porcupine" $(GO) test ./checker/linear -run '^TestAgrees$$' -count=1 -timeout 0 -v -histories $(FUZZ) -seed $(FUZZ_SEED)

fuzz-reference: ## the verdicts against their definitions, 100,000 random histories (HISTORIES= and FUZZ_SEED= change that)
	@scripts/busy "comparing with the definitions" $(GO) test ./checker -run '^TestReference(Claims|Workloads)?$$' -count=1 -timeout 0 -v -histories $(or $(HISTORIES),100000) -reference-seed $(FUZZ_SEED)

bench-checkers: ## the checkers beside porcupine: ratios of time and memory; fails where one is not reached
	@scripts/busy "measuring the checkers" $(GO) test ./checker/linear/bench -run '^TestTable$$' -count=1 -v -timeout 30m -table

mutation: ## small changes of the checkers, one at a time: which of them no test notices into tools/mutation/survivors.txt, the tables into results/selftest.md (ONLY=FILE MUTATED=PACKAGE for a part, without tables)
	@$(MUTATION) -results bin/mutation.txt -survivors $(SURVIVORS) $(if $(ONLY)$(MUTATED),-only '$(ONLY)',-markdown results/selftest.md) $(or $(MUTATED),$(CHECKERS))

survivors: ## tools/mutation/survivors.txt in order, by files and classes; fails where the checkers have changed since their mutants were tried
	@$(MUTATION) -sort -survivors $(SURVIVORS) $(or $(MUTATED),$(CHECKERS))

thirdparty: ## histories of others that the module cache has, against what is known of them; downloads nothing (HISTORIES= for more)
	@GOPROXY=off scripts/busy "judging histories of others" $(GO) test ./checker/linear -run '^TestThirdParty$$' -count=1 -v -timeout 30m -args -thirdparty $(if $(HISTORIES),-more $(abspath $(HISTORIES)))

nightly: servers build ## smoke cells, then those that waited longest, against results/expected.yaml (BUDGET= OUT=)
	@bin/torture matrix --budget $(BUDGET) --jobs 2 --retries 2 --ttl 1s --duration 10s \
		--expect results/expected.yaml --trend results/matrix/trend.jsonl $(if $(OUT),--out $(OUT))

expected: BACKEND = all
expected: NEMESIS = all
expected: SEEDS = 3
expected: servers build ## measure the rows that results/expected.yaml lacks, and add them (BACKEND= NEMESIS= SEEDS= JOBS=); ^C keeps what was measured
	@bin/torture matrix --backends $(BACKEND) --nemeses $(NEMESIS) --workloads counter --seeds $(SEEDS) --jobs $(JOBS) --retries 2 \
		--ttl 1s --duration 10s --record results/expected.yaml

mutants: servers build ## locks that are broken on purpose, each beside its correct twin (SEEDS= JOBS= ONLY=), the table into results/selftest.md (VIRTUAL=1: in virtual time)
	@bin/torture selftest mutants --seeds $(SEEDS) --jobs $(JOBS) $(if $(VIRTUAL),--virtual) $(if $(ONLY),--only $(ONLY),--markdown results/selftest.md)

hazards: servers build ## each lock under the fault that it is known for (SEEDS= JOBS=), the table into results/selftest.md
	@bin/torture selftest hazards --seeds $(SEEDS) --jobs $(JOBS) --markdown results/selftest.md

controls: ROUNDS = 100
controls: servers build ## correct locks under faults and loads that are drawn, never flagged (ROUNDS= JOBS=), the table into results/selftest.md (VIRTUAL=1: in virtual time)
	@bin/torture selftest controls --rounds $(ROUNDS) --jobs $(JOBS) $(if $(VIRTUAL),--virtual) --markdown results/selftest.md

searches: servers build ## what torture explore finds, and with how much processor time (SEEDS= ONLY= STRATEGIES=), the table into results/explore.md
	@bin/torture selftest searches --seeds $(SEEDS) $(if $(ONLY),--only $(ONLY)) $(if $(STRATEGIES),--strategies $(STRATEGIES)) $(if $(ONLY)$(STRATEGIES),,--markdown results/explore.md)

ledger: servers build ## make the runs that the pages lack, into results/ledger; ^C and again goes on (BUDGET=50m JOBS= RUNS= DIFFERING=)
	@bin/torture ledger measure --jobs $(JOBS) --runs $(or $(RUNS),12) --differing $(or $(DIFFERING),20) $(if $(filter command line,$(origin BUDGET)),--budget $(BUDGET))

pages: build ## the tables of the pages from results/ledger
	@bin/torture ledger render

site: build ## the ledger as static pages: locks, faults, findings, releases (OUT=)
	@bin/torture site $(or $(OUT),results/site)

# Each round measures all locks, so that whatever else the machine does comes to all of them. On a machine that does nothing else.
costs: LOCKS = redis-set,redis-watchdog,redis-fenced,redlock,mysql-for-update,mysql-unique-ttl,postgres-advisory,etcd-concurrency,zookeeper,consul
costs: servers build ## the costs of docs/choosing.md, ROUNDS times, into results/ledger (LOCKS=all: of all locks)
	@for round in $$(seq $(ROUNDS)); do scripts/calm; bin/torture bench --backends $(LOCKS) \
		--clients 1 --waiters 20 --duration 2s --peers=false --ledger results/ledger >/dev/null || exit; done
	@bin/torture ledger render

sweep: servers build ## one lock with several TTLs, as docs/choosing.md shows it, into results/ledger
	@bin/torture sweep --backend redis-set --ttl 500ms,1s,2s,5s,10s --out bin/sweep --ledger results/ledger
	@bin/torture ledger render

findings: servers ## the programs of findings/, each of which shows a failure of a library: fails where one no longer does (ROUNDS= how often, LEDGER= adds a line for each)
	@findings/run

matrix-summary: ## the table of a matrix as Markdown (OUT=)
	@cat $(OUT)/matrix.md

sample: build ## docs/sample, the report that people can open first: a run (RUN=), or what is there, judged again
	@[ -z "$(RUN)" ] || ! grep '"commit": "\(unknown\|.*-dirty\)"' $(RUN)/run.json
	@[ -z "$(RUN)" ] || cp $(RUN)/history.jsonl $(RUN)/run.json $(RUN)/result.json $(RUN)/schedule.jsonl $(RUN)/wire.bin docs/sample/
	@bin/torture report docs/sample

pictures: ## the pictures: of the report of a run (RUN=), or of the latest, and of the score card of a matrix (OUT=)
	@mkdir -p docs/img
	@scripts/busy "taking pictures" $(GO) test ./report/browsertest -run '^TestPagesOfRealRuns$$' -count=1 -args -pictures $(CURDIR)/docs/img \
		-pages $(if $(OUT),scorecard=$(abspath $(OUT))/index.html)$(if $(OUT),$(COMMA))report=$(abspath $(or $(RUN),results/runs/latest))/report.html

clean: build ## old runs, and whatever a killed run left behind
	@bin/torture clean
