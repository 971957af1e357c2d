package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.PortInfo;
import io.uniserve.model.Release;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Scripted server for a coordinator: an ephemeral node, and answers to pings, checks of tables and load reports. */
public final class TestingServer {
    public final ServerId id;
    private final TestingCluster cluster;
    private final String zone;
    private final Address address;
    private long incarnation;
    private Object session = new Object();
    boolean slow;
    boolean damaged;
    long installed = 1L << 40;
    String port = "kv";
    public Release release = Release.CURRENT;

    /** Number of further requests that it answers without the new definition. */
    int ignorance;

    @Nullable
    UniserveException refusal;

    @Nullable
    public UniserveException eraseRefusal;

    /** Table whose backups it does not delete. */
    @Nullable
    public TableName erasesNothingOf;

    /** True: it does not answer requests to erase a backup. */
    public boolean eraseHangs;

    public TestingServer(TestingCluster cluster, String name, String zone) {
        this.cluster = cluster;
        this.id = new ServerId(name);
        this.zone = zone;
        this.address = new Address(name, 8000);
    }

    public long incarnation() {
        return incarnation;
    }

    /** Registers the server and starts to answer. */
    public void start() {
        incarnation++;
        session = new Object();
        PortInfo info = new PortInfo(port, "1", cluster.levels, List.of(), List.of());
        ServerRecord record =
                new ServerRecord(id, incarnation, address, zone, new Capacity(1000, 1, 1), List.of(info), release);
        cluster.store.multi(session, List.of(new Op.Create(RegistryPaths.server(id), record, true)));
        answer();
    }

    /** Stops the answers and removes the node. */
    public void kill() {
        hang();
        cluster.store.expire(session);
    }

    /** Stops the answers; the node remains. */
    public void hang() {
        cluster.network.stop(address);
    }

    public void answer() {
        cluster.network.serve(address, this::handle);
    }

    private void handle(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.Ping) {
            completion.done(Outcome.ok(new PeerReply.Pong(id, incarnation)));
        } else if (request instanceof PeerRequest.ValidateTable) {
            UniserveException error = refusal;
            completion.done(error == null ? Outcome.ok(new PeerReply.Ack()) : Outcome.err(error));
        } else if (request instanceof PeerRequest.UpdateTableDefinition learn) {
            boolean known = learn.meta()
                    .equals(cluster.store.value(RegistryPaths.meta(learn.meta().name())));
            completion.done(
                    known && --ignorance < 0
                            ? Outcome.ok(new PeerReply.Ack())
                            : Outcome.err(new UniserveException(ErrorCode.BEHIND, "not yet")));
        } else if (request instanceof PeerRequest.EraseBackup erase) {
            erase(erase, completion);
        } else if (request instanceof PeerRequest.Archive) {
            completion.done(Outcome.err(new UniserveException(ErrorCode.UNSUPPORTED, "no durable storage")));
        } else if (request instanceof PeerRequest.ListIntactReplicas list) {
            List<PeerReply.IntactReplicaList.IntactReplica> whole = list.keys().stream()
                    .filter(key -> !damaged)
                    .map(key -> new PeerReply.IntactReplicaList.IntactReplica(key, installed))
                    .toList();
            completion.done(Outcome.ok(new PeerReply.IntactReplicaList(id, incarnation, whole)));
        } else if (request instanceof PeerRequest.ReportLoad) {
            completion.done(Outcome.ok(new PeerReply.Load(
                    id,
                    slow ? List.of() : loads(),
                    1,
                    0,
                    List.of(),
                    -1,
                    List.of(),
                    cluster.servingCpu.applyAsDouble(id))));
        }
    }

    private void erase(PeerRequest.EraseBackup request, Completion<PeerReply> completion) {
        UniserveException error = request.table().equals(erasesNothingOf)
                ? new UniserveException(ErrorCode.IO, "not allowed")
                : eraseRefusal;
        if (!eraseHangs) {
            completion.done(error == null ? Outcome.ok(new PeerReply.Ack()) : Outcome.err(error));
        }
    }

    private List<ReplicaLoad> loads() {
        List<ReplicaLoad> loads = new ArrayList<>();
        for (String name : List.of("t", "u")) {
            if (cluster.store.value(RegistryPaths.map(new TableName(name))) instanceof TableMap map) {
                for (ActorState actor : map.actors()) {
                    String role = actor.primary().equals(id) ? ReplicaLoad.PRIMARY : "FOLLOWER";
                    ReplicaKey key = new ReplicaKey(map.tableId(), actor.actor());
                    double cost = actor.isr().contains(id)
                            ? cluster.costs.getOrDefault(actor.actor(), 0.0) * share(actor)
                            : 0;
                    long index = actor.actor() == 0 ? cluster.lastIndex : 0;
                    loads.add(new ReplicaLoad(
                            key, actor.epoch(), role, index, 0, 0, 0, 0, cluster.replicaBytes, cost, 0));
                }
            }
        }
        return loads;
    }

    /** Share of the actor's queries that this server answers. */
    private double share(ActorState actor) {
        double sum = actor.weights().values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
        return sum > 0
                ? actor.weights().getOrDefault(id, 0.0) / sum
                : 1.0 / actor.isr().size();
    }
}
