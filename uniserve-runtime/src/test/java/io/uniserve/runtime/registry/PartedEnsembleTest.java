package io.uniserve.runtime.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.runtime.async.Loop;
import io.uniserve.runtime.async.Waiter;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.server.quorum.QuorumPeer.ServerState;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Foundation of leases and confirmed snapshots, on a real ensemble: a multi of checks only goes through the quorum. So a server
 * without a quorum cannot apply one, although it still answers reads from its own state.
 */
class PartedEnsembleTest {
    private static final String NODE = "/tables/t/map";
    private static final RegistryValue NEWER = new TermRecord("newer");

    @TempDir
    Path data;

    private final Loop loop = new Loop();
    private ThreeServers servers;

    @BeforeEach
    void start() throws IOException {
        servers = ThreeServers.started(data);
    }

    @AfterEach
    void stop() throws IOException {
        servers.close();
        loop.close();
    }

    private CuratorRegistry open(int server) {
        return new CuratorRegistry(
                new RegistryOptions(servers.address(server), "c", 10_000, 20_000, ZooKeeperSecurity.NONE), loop);
    }

    private static Outcome<MultiResult> check(Registry registry, int version) {
        return Waiter.outcome(done -> registry.multi(List.of(new Op.Check(NODE, version)), done));
    }

    private static boolean confirmed(Outcome<MultiResult> outcome) {
        return outcome instanceof Outcome.Ok<MultiResult> ok && ok.value().applied();
    }

    /** Waits for minutes, as an election may take that long on a busy machine; meanwhile a request may have no answer. */
    private static ConditionFactory eventually() {
        return await().atMost(Duration.ofMinutes(3)).ignoreExceptionsInstanceOf(UniserveException.class);
    }

    private static Versioned read(Registry registry) {
        return Waiter.<Versioned>value(done -> registry.read(NODE, done));
    }

    private static void create(Registry registry) {
        Waiter.<MultiResult>value(
                done -> registry.multi(List.of(new Op.Create(NODE, new TermRecord("first"), false)), done));
    }

    private static boolean change(Registry registry) {
        Outcome<MultiResult> outcome =
                Waiter.outcome(done -> registry.multi(List.of(new Op.Set(NODE, NEWER, 0)), done));
        return confirmed(outcome);
    }

    @Test
    void aLeaderCutOffFromItsQuorumConfirmsNothing() {
        int leader = servers.leader();
        int other = servers.followers().get(0);
        try (CuratorRegistry old = open(leader);
                CuratorRegistry rest = open(other)) {
            create(old);
            assertThat(confirmed(check(old, 0))).isTrue();
            await().until(() -> read(rest).version() == 0); // a follower may lag
            servers.part(leader, true);
            assertThat(servers.state(leader)).isEqualTo(ServerState.LEADING);
            assertThat(read(old).version()).as("a read needs no quorum").isZero();
            Outcome<MultiResult> alone = check(old, 0);
            assertThat(confirmed(alone))
                    .as("a check of what is still right: %s", alone)
                    .isFalse();
            eventually().until(() -> change(rest) || read(rest).version() == 1);
            assertThat(confirmed(check(old, 0))).as("of what is old").isFalse();
            servers.part(leader, false);
            eventually().until(() -> read(old).version() == 1);
            assertThat(confirmed(check(old, 0))).isFalse();
            assertThat(confirmed(check(old, 1))).isTrue();
        }
    }

    @Test
    void aFollowerCutOffFromItsLeaderKeepsASessionAndConfirmsNothing() {
        int leader = servers.leader();
        int follower = servers.followers().get(0);
        try (CuratorRegistry lone = open(follower);
                CuratorRegistry rest = open(leader)) {
            List<Registry.SessionEvent> events = new CopyOnWriteArrayList<>();
            lone.onSession(events::add);
            create(rest);
            await().until(() -> read(lone).version() == 0);
            assertThat(confirmed(check(lone, 0))).isTrue();
            servers.part(follower, true);
            eventually().until(() -> change(rest) || read(rest).version() == 1); // the two others continue
            assertThat(read(lone))
                    .as("the session lives on, and sees what was")
                    .isEqualTo(new Versioned(new TermRecord("first"), 0));
            Outcome<MultiResult> alone = check(lone, 0);
            assertThat(confirmed(alone))
                    .as("a check of the old version: %s", alone)
                    .isFalse();
            servers.part(follower, false);
            eventually().until(() -> read(lone).version() == 1);
            assertThat(confirmed(check(lone, 1))).isTrue();
            assertThat(events).as("one session all the time").doesNotContain(Registry.SessionEvent.EXPIRED);
        }
    }
}
