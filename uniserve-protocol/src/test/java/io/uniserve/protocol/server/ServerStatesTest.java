package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.StateCounts;
import io.uniserve.protocol.backup.ship.LogShippingState;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.replica.ReplicaState;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.transaction.manager.TransactionPhase;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The states that a server exports as metrics. */
class ServerStatesTest {
    /** Sum over all servers that run, without states of no machine. */
    private static <S extends Enum<S>> Map<S, Integer> sum(
            Cluster cluster, Function<ServerStateMachine, StateCounts<S>> states) {
        Map<S, Integer> sum = new TreeMap<>();
        cluster.servers.values().stream()
                .filter(Host::up)
                .forEach(host -> states.apply(host.machine()).counts().forEach((state, count) -> {
                    if (count > 0) {
                        sum.merge(state, count, Integer::sum);
                    }
                }));
        return sum;
    }

    @Test
    void countsReplicasByState() {
        Cluster cluster = new Cluster(3);
        assertThat(cluster.servers
                        .values()
                        .iterator()
                        .next()
                        .machine()
                        .replicaStates()
                        .counts())
                .hasSize(ReplicaState.values().length)
                .containsEntry(ReplicaState.PRIMARY, 0);
        cluster.create(4, 2, 1, OnLoss.WAIT);
        cluster.await(
                () -> sum(cluster, ServerStateMachine::replicaStates)
                        .equals(Map.of(ReplicaState.PRIMARY, 4, ReplicaState.FOLLOWER, 4)),
                20);
    }

    @Test
    void aTakeoverRestoresAReplica() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.await(() -> cluster.clean(0), 10);
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        EnumSet<ReplicaState> seen = EnumSet.noneOf(ReplicaState.class);
        cluster.await(
                () -> {
                    seen.addAll(sum(cluster, ServerStateMachine::replicaStates).keySet());
                    return seen.contains(ReplicaState.PRIMARY);
                },
                60);
        assertThat(seen)
                .containsExactly(
                        ReplicaState.OPENING,
                        ReplicaState.RESTORING,
                        ReplicaState.PRIMARY_STARTING,
                        ReplicaState.PRIMARY);
    }

    @Test
    void countsActorsByStateOfLogShipping() {
        Cluster cluster = new Cluster(2);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        EnumSet<LogShippingState> seen = EnumSet.noneOf(LogShippingState.class);
        cluster.await(
                () -> {
                    Map<LogShippingState, Integer> now = sum(cluster, ServerStateMachine::logShippingStates);
                    seen.addAll(now.keySet());
                    return now.equals(Map.of(LogShippingState.IDLE, 2));
                },
                20);
        cluster.objects.down(true);
        cluster.update(AckLevel.ISR, "b");
        cluster.await(
                () -> sum(cluster, ServerStateMachine::logShippingStates).containsKey(LogShippingState.FAILING), 20);
        cluster.objects.down(false);
        cluster.await(
                () -> {
                    Map<LogShippingState, Integer> now = sum(cluster, ServerStateMachine::logShippingStates);
                    seen.addAll(now.keySet());
                    return now.equals(Map.of(LogShippingState.IDLE, 2));
                },
                20);
        assertThat(seen).contains(LogShippingState.STARTING, LogShippingState.SHIPPING);
    }

    @Test
    void countsTransactionsByPhase() {
        AtomicCluster atomic = new AtomicCluster(3, 2, 2);
        Host manager = atomic.primary(0);
        manager.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome =
                atomic.send(manager, atomic.cluster.nextId(), 1, AtomicCluster.rows("a", 0, 1));
        EnumSet<TransactionPhase> seen = EnumSet.noneOf(TransactionPhase.class);
        atomic.cluster.await(
                () -> {
                    seen.addAll(sum(atomic.cluster, ServerStateMachine::transactionPhases)
                            .keySet());
                    return manager.registry().holding() > 0;
                },
                10);
        assertThat(seen).contains(TransactionPhase.PREPARING);
        assertThat(sum(atomic.cluster, ServerStateMachine::transactionPhases))
                .isEqualTo(Map.of(TransactionPhase.COMMITTING, 1));
        manager.registry().release();
        atomic.version(outcome);
        assertThat(sum(atomic.cluster, ServerStateMachine::transactionPhases)).isEmpty();
    }
}
