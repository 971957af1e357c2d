package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replicas of an actor with logs that differ under equal indexes. The running hash shows it; one goes to quarantine and is rebuilt. */
class CopiesDifferTest {
    private static final long SECOND = Cluster.SECOND;

    private static Cluster created(int servers, int rf) {
        return created(new Cluster(servers), rf);
    }

    private static Cluster created(Cluster cluster, int rf) {
        cluster.create(1, rf, 1, OnLoss.WAIT);
        for (int i = 0; i < 5; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.loop.run(2 * SECOND);
        return cluster;
    }

    private static List<Host> followers(Cluster cluster) {
        return cluster.actor(0).isr().stream()
                .filter(member -> !member.equals(cluster.actor(0).primary()))
                .map(cluster::server)
                .toList();
    }

    /** Last log index on the host. */
    private static long last(Cluster cluster, Host host) {
        List<Outcome<PeerReply>> replies = new ArrayList<>();
        host.machine().onPeer(new PeerRequest.ReportLoad(), replies::add);
        cluster.await(() -> !replies.isEmpty(), 10);
        PeerReply.Load load = (PeerReply.Load) ((Outcome.Ok<PeerReply>) replies.get(0)).value();
        return load.replicas().get(0).lastIndex();
    }

    private static Replicated send(Cluster cluster, Host to, long hash, long prev, List<LogEntry> entries) {
        return send(cluster, to, hash, prev, entries, RunningLogHash.UNKNOWN);
    }

    private static Replicated send(
            Cluster cluster, Host to, long hash, long prev, List<LogEntry> entries, long lastHash) {
        List<Outcome<PeerReply>> replies = new ArrayList<>();
        to.machine()
                .onPeer(
                        new Replicate(
                                cluster.key(0),
                                cluster.actor(0).epoch(),
                                cluster.actor(0).primary(),
                                prev,
                                cluster.actor(0).epoch(),
                                entries,
                                prev,
                                0,
                                hash,
                                lastHash),
                        replies::add);
        cluster.await(() -> !replies.isEmpty(), 10);
        return (Replicated) ((Outcome.Ok<PeerReply>) replies.get(0)).value();
    }

    /** Sends a forged entry, like an attacker that first requests the log's hash. */
    private static void forge(Cluster cluster, Host at, String rows) {
        long prev = last(cluster, at);
        long hash = hashOf(cluster, at, prev);
        assertThat(hash).isNotEqualTo(RunningLogHash.UNKNOWN);
        LogEntry forged = new LogEntry(
                LogEntry.Type.UPDATE,
                cluster.actor(0).epoch(),
                prev + 1,
                0,
                cluster.nextId(),
                0,
                "put@1",
                Bytes.utf8(rows));
        assertThat(send(cluster, at, hash, prev, List.of(forged)).status()).isEqualTo(Replicated.Status.OK);
    }

    /** The right hash, from the answer to a probe with a wrong one. */
    private static long hashOf(Cluster cluster, Host at, long index) {
        Replicated probe = send(cluster, at, 1, index, List.of());
        assertThat(probe.status()).isEqualTo(Replicated.Status.DIFFERS);
        send(cluster, at, probe.hash(), index, List.of());
        return probe.hash();
    }

    private static void allHold(Cluster cluster, int copies, List<String> rows) {
        cluster.converge(0, copies);
        for (ServerId id : cluster.actor(0).isr()) {
            assertThat(cluster.server(id).engine().rows(cluster.key(0)).stream()
                            .map(row -> row.substring(row.indexOf('=') + 1)))
                    .as("rows on %s", id)
                    .isEqualTo(rows);
        }
    }

    private static boolean keptAside(Host host) {
        return !host.disk.files("quarantine/").isEmpty();
    }

    private static final List<String> BEFORE = List.of("r0", "r1", "r2", "r3", "r4");

    private static List<String> and(String... more) {
        List<String> all = new ArrayList<>(BEFORE);
        all.addAll(List.of(more));
        return all;
    }

    @Test
    void aForgedEntryWithoutAHashIsRefused() {
        Cluster cluster = created(2, 2);
        Host follower = followers(cluster).get(0);
        long prev = last(cluster, follower);
        Replicated reply = send(
                cluster,
                follower,
                0,
                prev,
                List.of(LogEntry.epoch(cluster.actor(0).epoch(), prev + 1)));
        assertThat(reply.status()).isEqualTo(Replicated.Status.NOT_READY);
        cluster.update(AckLevel.ISR, "after");
        allHold(cluster, 2, and("after"));
        assertThat(keptAside(follower)).isFalse();
    }

    /** The first message after a restart may start before the primary's first known hash and end after it. */
    @Test
    void aForgedEntryWithoutAHashIsRefusedIfOnlyTheLastHashOfTheFirstMessageIsKnown() {
        Cluster cluster = created(2, 2);
        Host follower = followers(cluster).get(0);
        long prev = last(cluster, follower);
        long hash = hashOf(cluster, follower, prev);
        follower.kill();
        cluster.network.lose((to, request) -> request instanceof Replicate);
        follower.start();
        cluster.loop.run(SECOND);
        Replicated first = send(cluster, follower, RunningLogHash.UNKNOWN, prev, List.of(), hash);
        assertThat(first.status()).isEqualTo(Replicated.Status.OK);
        Replicated reply = send(
                cluster,
                follower,
                RunningLogHash.UNKNOWN,
                prev,
                List.of(LogEntry.epoch(cluster.actor(0).epoch(), prev + 1)));
        assertThat(reply.status()).isEqualTo(Replicated.Status.NOT_READY);
    }

    @Test
    void aForgedEntryIsFoundAndTheOnlyFollowerMadeAnew() {
        Cluster cluster = created(2, 2);
        Host follower = followers(cluster).get(0);
        forge(cluster, follower, "forged");
        cluster.update(AckLevel.ISR, "after");
        allHold(cluster, 2, and("after"));
        assertThat(keptAside(follower)).isTrue();
    }

    @Test
    void aCopyThatDiffersAnswersNoReader() {
        Cluster cluster = created(2, 2);
        Host follower = followers(cluster).get(0);
        Host primary = cluster.primary(0);
        forge(cluster, follower, "forged");
        cluster.network.lose((to, request) -> request instanceof PeerRequest.QuarantineCopy);
        cluster.send(cluster.nextId(), AckLevel.PRIMARY, "after");
        cluster.loop.run(SECOND);
        assertThat(follower.serving(cluster.key(0))).isFalse();
        assertThat(primary.serving(cluster.key(0))).isTrue();
        assertThat(cluster.actor(0).isr()).hasSize(2);
    }

    @Test
    void aForgedEntryIsFoundAmongThreeCopies() {
        Cluster cluster = created(3, 3);
        Host follower = followers(cluster).get(1);
        forge(cluster, follower, "forged");
        cluster.update(AckLevel.ISR, "after");
        allHold(cluster, 3, and("after"));
        assertThat(keptAside(follower)).isTrue();
        assertThat(keptAside(followers(cluster).get(0))
                        && keptAside(followers(cluster).get(1)))
                .isFalse();
    }

    @Test
    void aForgedEntryIsFoundAfterARestart() {
        Cluster cluster = created(3, 3);
        Host follower = followers(cluster).get(0);
        forge(cluster, follower, "forged");
        cluster.network.lose((to, request) -> request instanceof Replicate && to.equals(follower.address()));
        cluster.ack(cluster.send(cluster.nextId(), AckLevel.PRIMARY, "mine"));
        follower.kill();
        cluster.loop.run(SECOND);
        cluster.network.lose((to, request) -> false);
        follower.start();
        cluster.update(AckLevel.ISR, "after");
        allHold(cluster, 3, and("mine", "after"));
        assertThat(keptAside(follower)).isTrue();
    }

    @Test
    void aForgedEntryIsFoundInALogWhoseFrontIsGone() {
        Cluster cluster = created(new Cluster(2, 10, new LogOptions(400, 200, 1 << 20, 0)), 2);
        List<String> rows = new ArrayList<>(BEFORE);
        for (int i = 0; i < 60; i++) {
            cluster.update(AckLevel.ISR, "w" + i);
            rows.add("w" + i);
            cluster.loop.run(SECOND / 5);
        }
        Host follower = followers(cluster).get(0);
        cluster.await(
                () -> !follower.disk.files(cluster.key(0) + "/log/").get(0).endsWith("00000000000000000001.seg"), 60);
        follower.kill();
        follower.start();
        cluster.converge(0, 2);
        cluster.update(AckLevel.ISR, "again");
        rows.add("again");
        forge(cluster, follower, "forged");
        cluster.update(AckLevel.ISR, "after");
        rows.add("after");
        allHold(cluster, 2, rows);
        assertThat(keptAside(follower)).isTrue();
    }

    @Test
    void aCopyFromACheckpointKnowsItsHashesAsPrimaryAfterARestart() {
        Cluster cluster = created(new Cluster(2, 10, new LogOptions(400, 200, 1 << 20, 1_500)), 2);
        Host copy = followers(cluster).get(0);
        Host other = cluster.primary(0);
        List<String> rows = new ArrayList<>(BEFORE);
        for (int i = 0; i < 60; i++) {
            cluster.update(AckLevel.ISR, "w" + i);
            rows.add("w" + i);
            cluster.loop.run(SECOND / 5);
        }
        copy.kill();
        copy.disk.wipe("");
        copy.start();
        cluster.converge(0, 2);
        assertThat(copy.disk.files(cluster.key(0) + "/log/").get(0))
                .as("the replica's log starts after a checkpoint")
                .doesNotEndWith("00000000000000000001.seg");
        other.kill();
        cluster.await(() -> cluster.primary(0) == copy, 30);
        other.start();
        cluster.converge(0, 2);
        cluster.update(AckLevel.ISR, "before");
        rows.add("before");
        long epoch = cluster.actor(0).epoch();
        List<Replicate> unhashed = new ArrayList<>();
        cluster.network.lose((to, request) -> {
            if (request instanceof Replicate some && some.prevHash() == RunningLogHash.UNKNOWN) {
                unhashed.add(some);
            }
            return false;
        });
        copy.kill();
        copy.start();
        cluster.update(AckLevel.ISR, "after");
        assertThat(unhashed).isEmpty();
        rows.add("after");
        allHold(cluster, 2, rows);
        assertThat(cluster.actor(0).epoch())
                .as("the primary came back before its session ended")
                .isEqualTo(epoch);
        assertThat(cluster.servers.values()).noneMatch(CopiesDifferTest::keptAside);
    }

    @Test
    void aPrimaryThatDiffersFromBothFollowersStepsAside() {
        Cluster cluster = created(3, 3);
        Host primary = cluster.primary(0);
        List<Host> followers = followers(cluster);
        long prev = last(cluster, primary);
        LogEntry other = new LogEntry(
                LogEntry.Type.UPDATE,
                cluster.actor(0).epoch(),
                prev + 1,
                0,
                cluster.nextId(),
                0,
                "put@1",
                Bytes.utf8("theirs"));
        for (Host follower : followers) {
            long hash = hashOf(cluster, follower, prev);
            assertThat(send(cluster, follower, hash, prev, List.of(other)).status())
                    .isEqualTo(Replicated.Status.OK);
        }
        cluster.send(cluster.nextId(), AckLevel.PRIMARY, "mine");
        cluster.await(() -> cluster.primary(0) != primary, 20);
        allHold(cluster, 3, and("theirs"));
        assertThat(keptAside(primary)).isTrue();
        assertThat(followers).noneMatch(CopiesDifferTest::keptAside);
    }

    @Test
    void withoutAMajorityUpdatesAndReadersAreRefused() {
        Cluster cluster = created(3, 3);
        Host primary = cluster.primary(0);
        int number = 0;
        for (Host follower : followers(cluster)) {
            forge(cluster, follower, "forged" + number++);
        }
        cluster.send(cluster.nextId(), AckLevel.PRIMARY, "mine");
        cluster.loop.run(2 * SECOND);
        ActorFailure failure = cluster.failure(cluster.send(cluster.nextId(), AckLevel.PRIMARY, "more"));
        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure.message()).contains("different logs at index").contains("none has a majority");
        assertThat(primary.serving(cluster.key(0))).isFalse();
        assertThat(followers(cluster)).noneMatch(host -> host.serving(cluster.key(0)));
        Host stopped = followers(cluster).get(0);
        stopped.kill();
        cluster.await(() -> primary.serving(cluster.key(0)), 30);
        cluster.update(AckLevel.ISR, "after");
        stopped.start();
        allHold(cluster, 3, and("mine", "after"));
    }

    @Test
    void entriesThatAreSwappedOnTheWayAreSentAgain() {
        Cluster cluster = created(3, 2);
        int[] swapped = {0};
        cluster.network.change((to, request) -> {
            if (request instanceof Replicate some && some.entries().size() > 1 && swapped[0]++ == 0) {
                LogEntry first = some.entries().get(0);
                LogEntry second = some.entries().get(1);
                List<LogEntry> entries = new ArrayList<>(some.entries());
                entries.set(0, at(second, first.index()));
                entries.set(1, at(first, second.index()));
                return with(some, entries, some.lastHash());
            }
            return request;
        });
        List<Outcome<io.uniserve.protocol.message.client.UpdateReply>> last = List.of();
        for (int i = 0; i < 4; i++) {
            last = cluster.send(cluster.nextId(), AckLevel.ISR, "s" + i);
        }
        cluster.ack(last);
        assertThat(swapped[0]).as("messages of several entries").isPositive();
        allHold(cluster, 2, and("s0", "s1", "s2", "s3"));
        assertThat(cluster.servers.values()).noneMatch(CopiesDifferTest::keptAside);
    }

    @Test
    void aPayloadThatChangesUnnoticedIsFoundByTheAcknowledgement() {
        Cluster cluster = created(3, 3);
        Host follower = followers(cluster).get(0);
        boolean[] changed = {false};
        cluster.network.change((to, request) -> {
            boolean now = request instanceof Replicate some
                    && !changed[0]
                    && to.equals(follower.address())
                    && !some.entries().isEmpty();
            if (!now) {
                return request;
            }
            changed[0] = true;
            Replicate some = (Replicate) request;
            LogEntry first = some.entries().get(0);
            LogEntry other = new LogEntry(
                    first.type(),
                    first.epoch(),
                    first.index(),
                    first.version(),
                    first.request(),
                    first.lowWater(),
                    first.function(),
                    Bytes.utf8("XXXXX"));
            List<LogEntry> entries = new ArrayList<>(some.entries());
            entries.set(0, other);
            return with(some, entries, RunningLogHash.UNKNOWN); // as one of a version that does not send it
        });
        cluster.update(AckLevel.ISR, "after");
        assertThat(changed[0]).isTrue();
        allHold(cluster, 3, and("after"));
        assertThat(keptAside(follower)).isTrue();
    }

    @Test
    void aLearnerThatDiffersBeginsAnew() {
        Cluster cluster = created(3, 2);
        Host follower = followers(cluster).get(0);
        follower.kill();
        cluster.await(() -> cluster.actor(0).isr().size() == 1, 30);
        cluster.network.change((to, request) -> request instanceof Replicate some
                ? with(
                        some,
                        some.entries().stream().map(CopiesDifferTest::garbled).toList(),
                        RunningLogHash.UNKNOWN)
                : request);
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.actor(0).isr()).hasSize(1);
        cluster.network.change((to, request) -> request);
        cluster.update(AckLevel.ISR, "after");
        allHold(cluster, 2, and("after"));
    }

    private static LogEntry garbled(LogEntry entry) {
        return entry.type() != LogEntry.Type.UPDATE
                ? entry
                : new LogEntry(
                        entry.type(),
                        entry.epoch(),
                        entry.index(),
                        entry.version(),
                        entry.request(),
                        entry.lowWater(),
                        entry.function(),
                        Bytes.utf8("garbled"));
    }

    private static LogEntry at(LogEntry entry, long index) {
        return new LogEntry(
                entry.type(),
                entry.epoch(),
                index,
                entry.version(),
                entry.request(),
                entry.lowWater(),
                entry.function(),
                entry.rows());
    }

    private static Replicate with(Replicate request, List<LogEntry> entries, long lastHash) {
        return new Replicate(
                request.key(),
                request.epoch(),
                request.primary(),
                request.prevIndex(),
                request.prevEpoch(),
                entries,
                request.highWatermark(),
                request.baseIndex(),
                request.prevHash(),
                lastHash);
    }
}
