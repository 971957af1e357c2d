package io.uniserve.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.registry.CuratorRegistry;
import io.uniserve.runtime.registry.RegistryOptions;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.server.GrpcServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Server for tests of the coordinator, with a real port and a real session: it answers pings, reports its files as intact and is
 * ready.
 */
final class TestingGrpcServer implements AutoCloseable {
    private final ServerId id;
    private final EventLoop loop;
    private final CuratorRegistry registry;
    private final GrpcServer server;

    TestingGrpcServer(String name, String connect) throws ExecutionException, InterruptedException, TimeoutException {
        id = new ServerId(name);
        loop = new EventLoop(name, SystemClock.INSTANCE, failure -> {});
        registry = new CuratorRegistry(RegistryOptions.of(connect, "uniserve"), loop);
        server = GrpcServer.builder(ClusterIdentity.of("uniserve"))
                .peers(this::answer)
                .start("127.0.0.1", 0);
        register();
    }

    private void register() throws ExecutionException, InterruptedException, TimeoutException {
        PortInfo kv = new PortInfo("kv", "1", Set.of(ConsistencyLevel.EVENTUAL), List.of(), List.of());
        Address address = new Address("127.0.0.1", server.port());
        ServerRecord record = new ServerRecord(id, 1, address, "z", new Capacity(1, 1, 1), List.of(kv));
        CompletableFuture<Outcome<MultiResult>> created = new CompletableFuture<>();
        registry.multi(List.of(new Op.Create(RegistryPaths.server(id), record, true)), created::complete);
        created.get(10, TimeUnit.SECONDS);
    }

    private void answer(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.Ping) {
            completion.done(Outcome.ok(new PeerReply.Pong(id, 1)));
        } else if (request instanceof PeerRequest.ReportLoad) {
            registry.read(RegistryPaths.map(new TableName("t")), outcome -> completion.done(Outcome.ok(load(outcome))));
        } else if (request instanceof PeerRequest.ListIntactReplicas vouch) {
            List<PeerReply.IntactReplicaList.IntactReplica> whole = vouch.keys().stream()
                    .map(key -> new PeerReply.IntactReplicaList.IntactReplica(key, 1))
                    .toList();
            completion.done(Outcome.ok(new PeerReply.IntactReplicaList(id, 1, whole)));
        } else if (request instanceof PeerRequest.Archive archive
                && archive.request() instanceof ArchiveRequest.Definitions) {
            completion.done(Outcome.ok(new PeerReply.Manifests(List.of())));
        } else {
            completion.done(Outcome.ok(new PeerReply.Ack()));
        }
    }

    private PeerReply load(Outcome<io.uniserve.protocol.env.Registry.Versioned> outcome) {
        List<ReplicaLoad> loads = new ArrayList<>();
        if (outcome instanceof Outcome.Ok<io.uniserve.protocol.env.Registry.Versioned> ok
                && ok.value().value() instanceof TableMap map) {
            for (ActorState actor : map.actors()) {
                String role = actor.primary().equals(id) ? ReplicaLoad.PRIMARY : "FOLLOWER";
                ReplicaKey key = new ReplicaKey(map.tableId(), actor.actor());
                loads.add(new ReplicaLoad(key, actor.epoch(), role, 0, 0, 0, 0, 0, 0, 0, 0));
            }
        }
        return new PeerReply.Load(id, loads, 0);
    }

    @Override
    public void close() {
        server.close();
        registry.close();
        loop.close();
    }
}
