package io.uniserve.benchmark.demo;

import io.uniserve.api.Document;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Demonstration: it starts a cluster of real processes, loads the corpus, sends queries, kills a server in the middle, and compares every
 * answer.
 */
final class DemoRunner {
    private static final String TABLE = "europarl";
    private static final int BATCH = 500;
    private static final int QUERIES = 400;
    private static final long VISIBLE_TIMEOUT_MS = 120_000;
    private static final long RESTORE_TIMEOUT_MS = 120_000;
    private static final long PHASE_TIMEOUT_MS = 300_000;

    private final DemoOptions options;
    private final Path home;
    private final Console console;
    private final LongSupplier nanos = SystemClock.INSTANCE::nanos;

    DemoRunner(DemoOptions options, Path home, Console console) {
        this.options = options;
        this.home = home;
        this.console = console;
    }

    DemoReport run() {
        List<EuroparlDocument> documents = EuroparlCorpus.read(home, options.documents());
        print("%,d speeches read; computing the answers to %d queries beforehand", documents.size(), QUERIES);
        List<DemoQuery> queries = new DemoQueries(documents, options.seed()).make(QUERIES);
        ProcessClusterOptions layout = ProcessClusterOptions.of(options.directory(), options.servers(), "solr");
        try (ProcessCluster cluster = new ProcessCluster(layout)) {
            print("starting ZooKeeper, a coordinator and %d servers as processes", options.servers());
            cluster.start();
            cluster.daemons().values().stream()
                    .sorted(java.util.Comparator.comparing(DaemonProcess::name))
                    .forEach(daemon -> print("  %-14s process %d", daemon.name(), daemon.pid()));
            try (UniserveClient client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .deadline(Duration.ofMillis(options.deadlineMs()))
                    .build()) {
                load(client, documents);
                return runAndKill(cluster, client, queries);
            }
        }
    }

    private void load(UniserveClient client, List<EuroparlDocument> documents) {
        // A server is ready when it has registered, but the coordinator may learn of it a moment later.
        if (!ConditionWaiter.await(nanos, VISIBLE_TIMEOUT_MS, () -> seenServers(client) >= options.servers())) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "the coordinator sees only " + seenServers(client) + " servers");
        }
        client.admin()
                .deadline(Duration.ofMinutes(2))
                .createTable(TableSpec.named(TABLE)
                        .port("solr")
                        .hash(options.actors())
                        .replicas(options.rf())
                        .keyField(EuroparlDocument.KEY_FIELD));
        ProgressBar progress = new ProgressBar(console.err(), console.terminal(), nanos, "loading", documents.size());
        for (int at = 0; at < documents.size(); at += BATCH) {
            List<Document> rows = documents.subList(at, Math.min(documents.size(), at + BATCH)).stream()
                    .map(EuroparlDocument::row)
                    .toList();
            client.table(TABLE)
                    .update("solr.add@1", Document.CODEC, rows)
                    .deadline(Duration.ofMinutes(2))
                    .run()
                    .orThrow();
            progress.update(at + rows.size(), "%,d documents".formatted(at + rows.size()));
        }
        progress.finish();
        if (!ConditionWaiter.await(nanos, VISIBLE_TIMEOUT_MS, () -> allApplied(client))) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED, "not every replica has applied the documents in time");
        }
        print("every replica has applied every document");
    }

    private static int seenServers(UniserveClient client) {
        return client.admin().status().routing().servers().size();
    }

    /** True if each in-sync replica has applied all entries that any replica of its actor has logged. */
    private boolean allApplied(UniserveClient client) {
        TableRoute route = route(client);
        Map<ReplicaKey, Long> last = new TreeMap<>();
        Map<ReplicaKey, Integer> replicas = new TreeMap<>();
        List<Load> loads = client.admin().status().loads();
        for (Load load : loads) {
            load.replicas().forEach(replica -> last.merge(replica.key(), replica.lastIndex(), Math::max));
        }
        for (Load load : loads) {
            for (ReplicaLoad replica : load.replicas()) {
                if (replica.appliedIndex() >= last.getOrDefault(replica.key(), 0L)) {
                    replicas.merge(replica.key(), 1, Integer::sum);
                }
            }
        }
        return route.map().actors().stream()
                .allMatch(actor ->
                        replicas.getOrDefault(new ReplicaKey(route.meta().tableId(), actor.actor()), 0)
                                >= actor.isr().size());
    }

    private DemoReport runAndKill(ProcessCluster cluster, UniserveClient client, List<DemoQuery> queries) {
        QueryTimeline timeline = new QueryTimeline();
        QueryLoadGenerator load = new QueryLoadGenerator(queries, text -> client.query(TABLE, text), nanos, timeline);
        warmUp(load, queries);
        QueryTimeline measured = new QueryTimeline();
        try (QueryLoadGenerator measuredLoad =
                new QueryLoadGenerator(queries, text -> client.query(TABLE, text), nanos, measured)) {
            measuredLoad.start(options.threads());
            print("%d client threads ask; each answer is compared", options.threads());
            awaitQueries(measured, options.queriesMin() / 2);
            DaemonProcess victim = cluster.daemon("server-" + options.victim());
            print("killing %s, process %d, by SIGKILL", victim.name(), victim.pid());
            long killedAt = measuredLoad.nanosSinceStart();
            measured.mark(killedAt, "SIGKILL " + victim.name());
            victim.kill();
            boolean restored = ConditionWaiter.await(nanos, RESTORE_TIMEOUT_MS, () -> restored(client));
            double restoredMs = restored ? (measuredLoad.nanosSinceStart() - killedAt) / 1e6 : -1;
            if (restored) {
                measured.mark(measuredLoad.nanosSinceStart(), "copies restored");
                print("every actor has %d copies again after %.1f s", options.rf(), restoredMs / 1e3);
            }
            awaitQueries(measured, Math.max(options.queriesMin(), measured.size() + options.queriesMin() / 4));
            measuredLoad.close();
            return report(victim.pid(), killedAt, restoredMs, measured);
        }
    }

    /** Sends every query once before the measurement. */
    private void warmUp(QueryLoadGenerator load, List<DemoQuery> queries) {
        ProgressBar progress = new ProgressBar(console.err(), console.terminal(), nanos, "warming up", queries.size());
        for (int i = 0; i < queries.size(); i++) {
            QuerySample sample = load.runQuery(queries.get(i));
            if (!sample.problem().isEmpty()) {
                throw new UniserveException(
                        ErrorCode.INTERNAL,
                        "a query failed or had a wrong answer before the kill: " + sample.problem());
            }
            progress.update(i + 1, "");
        }
        progress.finish();
    }

    private void awaitQueries(QueryTimeline timeline, int queries) {
        if (!ConditionWaiter.await(nanos, PHASE_TIMEOUT_MS, () -> timeline.size() >= queries)) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "only " + timeline.size() + " of " + queries + " queries ended in time");
        }
    }

    private boolean restored(UniserveClient client) {
        TableRoute route = route(client);
        List<io.uniserve.model.ServerId> live =
                client.routing().servers().stream().map(server -> server.id()).toList();
        for (ActorState actor : route.map().actors()) {
            if (actor.isr().stream().filter(live::contains).count() < options.rf()) {
                return false;
            }
        }
        return live.size() < options.servers();
    }

    private static TableRoute route(UniserveClient client) {
        return client.routing().tables().stream()
                .filter(table -> table.meta().name().value().equals(TABLE))
                .findFirst()
                .orElseThrow(() ->
                        new UniserveException(ErrorCode.TABLE_NOT_FOUND, "table " + TABLE + " is not in the map"));
    }

    private DemoReport report(long pid, long killedAt, double restoredMs, QueryTimeline timeline) {
        return new DemoReport(
                "Uniserve: a cluster that loses a server and still answers right",
                options.documents(),
                options.servers(),
                options.actors(),
                options.rf(),
                pid,
                killedAt,
                restoredMs,
                timeline.samples(),
                timeline.events());
    }

    private void print(String format, Object... arguments) {
        console.note(String.format(Locale.ROOT, format, arguments));
    }
}
