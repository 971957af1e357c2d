package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time that updates wait while a primary moves, in virtual time, without pauses of the client. */
class MovePauseTest {
    private static final long MILLI = 1_000_000;

    /** A few messages, a write of the map, a few fsyncs; no tick, and no pause before another attempt. */
    private static final long PAUSE_MAX = 10 * MILLI;

    private static final int UNEVEN_SEEDS = 60;
    /** With one pause of 100 ms before another attempt it would be 150 to 220. */
    private static final long UNEVEN_PAUSE_MAX = 120 * MILLI;

    private final Cluster cluster = new Cluster(3);
    private int refused;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void updatesWaitAtTheServers(int rf) {
        cluster.create(1, rf, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "k=0");
        for (int i = 0; i < 2; i++) {
            long longest = move(i);
            assertThat(longest).isLessThan(PAUSE_MAX);
        }
        assertThat(refused).as("once for each move at most").isLessThanOrEqualTo(2);
    }

    /** Messages, registry and disks take up to 8 ms each, with some twenty of them one after the other. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nobodyWaitsForAnotherAttemptHoweverMessagesArrive(int rf) {
        for (int seed = 0; seed < UNEVEN_SEEDS; seed++) {
            MovePauseTest one = new MovePauseTest();
            one.cluster.create(1, rf, 1, OnLoss.WAIT);
            one.cluster.update(AckLevel.ISR, "k=0");
            one.cluster.loop.run(1_000 * MILLI);
            one.cluster.loop.uneven(seed, 8 * MILLI);
            assertThat(one.move(0)).as("seed %s", seed).isLessThan(UNEVEN_PAUSE_MAX);
        }
    }

    private long move(int number) {
        ServerId from = cluster.actor(0).primary();
        ServerId to = cluster.servers.keySet().stream()
                .map(ServerId::new)
                .filter(id -> !cluster.actor(0).hasReplicaOn(id))
                .findFirst()
                .orElseThrow();
        List<Outcome<AdminReply>> moved = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.MoveReplica(Cluster.T, 0, from, to), moved::add);
        long longest = 0;
        for (int i = 0; i < 20_000 && !over(from, to); i++) {
            long began = cluster.loop.nanos();
            update("k" + i + "=" + number);
            longest = Math.max(longest, cluster.loop.nanos() - began);
            cluster.loop.run(MILLI);
        }
        assertThat(over(from, to)).as("it has moved").isTrue();
        return longest;
    }

    private boolean over(ServerId from, ServerId to) {
        ActorState actor = cluster.actor(0);
        return actor.isr().contains(to)
                && !actor.hasReplicaOn(from)
                && actor.fencing().isEmpty();
    }

    /** A client that always has the newest map and retries at once. */
    private void update(String row) {
        RequestId id = cluster.nextId();
        while (true) {
            List<Outcome<UpdateReply>> outcome = cluster.send(id, AckLevel.ISR, row);
            cluster.await(() -> !outcome.isEmpty(), 10);
            if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                    && ok.value().failures().isEmpty()) {
                return;
            }
            refused++;
            cluster.loop.run(MILLI);
        }
    }
}
