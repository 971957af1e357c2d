package io.uniserve.client;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.server.DataHandlers;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Cluster of servers with real ports over one shared store of documents; the first has a coordinator. Replicas share their data, so a
 * test scripts which server answers, but not consistency.
 */
final class ScriptedCluster implements AutoCloseable {
    static final Codec<List<Document>> ROWS = Codecs.list(Document.CODEC);

    final RoutingBroadcaster hub = new RoutingBroadcaster();
    final Map<Integer, Node> nodes = new TreeMap<>();
    final AtomicInteger updateCalls = new AtomicInteger();
    final AtomicInteger createCalls = new AtomicInteger();
    private final String clusterId;
    private final Map<TableName, TableRoute> tables = new TreeMap<>();
    private final Map<String, Map<Integer, List<Document>>> rows = new TreeMap<>();
    private final Set<String> requests = new java.util.HashSet<>();
    private long tableIds;
    private long index;
    final AtomicInteger adminCalls = new AtomicInteger();
    volatile @Nullable UniserveException adminError;
    volatile boolean adminSilent;
    /** Update functions that servers offer, from the next publication on. */
    volatile List<String> updates = List.of();

    volatile int leader = 1;

    ScriptedCluster(String clusterId, int servers) {
        this.clusterId = clusterId;
        for (int i = 1; i <= servers; i++) {
            nodes.put(i, new Node(i));
        }
        publish();
    }

    String address(int node) {
        return node(node).address().toString();
    }

    Node node(int number) {
        return java.util.Objects.requireNonNull(nodes.get(number));
    }

    synchronized void publish() {
        List<ServerRecord> servers = nodes.values().stream()
                .filter(node -> node.listed)
                .map(Node::toRecord)
                .toList();
        hub.publish(new Routing(
                clusterId, List.copyOf(tables.values()), servers, node(leader).address()));
    }

    private synchronized AdminReply admin(AdminRequest request) {
        if (request instanceof AdminRequest.CreateTable create) {
            createCalls.incrementAndGet();
            return create(create.meta());
        }
        if (request instanceof AdminRequest.DropTable drop) {
            if (tables.remove(drop.name()) == null) {
                throw new UniserveException(ErrorCode.TABLE_NOT_FOUND, "no table " + drop.name());
            }
            publish();
            return new AdminReply.Ack();
        }
        if (request instanceof AdminRequest.DescribeTable describe) {
            TableRoute route = tables.get(describe.name());
            if (route == null) {
                throw new UniserveException(ErrorCode.TABLE_NOT_FOUND, "no table " + describe.name());
            }
            return new AdminReply.Tables(List.of(route));
        }
        if (request instanceof AdminRequest.ListTables) {
            return new AdminReply.Tables(List.copyOf(tables.values()));
        }
        List<PeerReply.Load> loads = List.of();
        return new AdminReply.ClusterStatus(hub.latest().orElseThrow(), 1, loads, List.of());
    }

    private AdminReply create(TableMeta wanted) {
        if (tables.containsKey(wanted.name())) {
            throw new UniserveException(ErrorCode.TABLE_EXISTS, "table " + wanted.name() + " exists");
        }
        TableMeta meta = new TableMeta(
                wanted.name(),
                ++tableIds,
                wanted.partitioner(),
                wanted.keyField(),
                wanted.level(),
                wanted.rf(),
                wanted.minIsr(),
                wanted.onLoss(),
                wanted.port(),
                wanted.options());
        List<ActorState> actors = new ArrayList<>();
        List<ServerId> ids = nodes.values().stream().map(node -> node.id).toList();
        for (int i = 0; i < meta.partitioner().actors(); i++) {
            List<ServerId> isr = new ArrayList<>();
            for (int r = 0; r < meta.rf(); r++) {
                isr.add(ids.get((i + r) % ids.size()));
            }
            actors.add(new ActorState(i, 1, isr.get(0), isr, List.of(), List.of(), isr, Map.of(), 0));
        }
        tables.put(meta.name(), new TableRoute(meta, new TableMap(meta.name(), meta.tableId(), actors), 1));
        publish();
        return new AdminReply.Ack();
    }

    synchronized boolean store(String request, String table, int actor, List<Document> added) {
        if (!requests.add(request + "/" + actor)) {
            return false;
        }
        rows.computeIfAbsent(table, name -> new TreeMap<>())
                .computeIfAbsent(actor, number -> new ArrayList<>())
                .addAll(added);
        index++;
        return true;
    }

    synchronized long index() {
        return index;
    }

    synchronized List<Document> rows(String table, int actor) {
        return List.copyOf(rows.getOrDefault(table, Map.of()).getOrDefault(actor, List.of()));
    }

    synchronized List<Document> rows(String table) {
        return rows.getOrDefault(table, Map.of()).values().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(
                        document -> String.valueOf(document.fields().get("id"))))
                .toList();
    }

    @Override
    public void close() {
        nodes.values().forEach(Node::close);
    }

    /** One server. */
    final class Node implements AutoCloseable {
        final ServerId id;
        final AtomicInteger reads = new AtomicInteger();
        volatile boolean silent;
        volatile boolean listed = true;
        volatile @Nullable ErrorCode readError;
        private final ScriptedHandlers handlers = new ScriptedHandlers(ScriptedCluster.this, this);
        private final GrpcServer server;

        Node(int number) {
            this.id = new ServerId("s" + number);
            GrpcServer.Builder builder = GrpcServer.builder(ClusterIdentity.of(clusterId))
                    .data(new DataHandlers(handlers::read, handlers::update, handlers::query))
                    .routing(hub);
            builder.admin(this::admin);
            this.server = builder.start("127.0.0.1", 0);
        }

        Address address() {
            return new Address("127.0.0.1", server.port());
        }

        private void admin(AdminRequest request, Completion<AdminReply> completion) {
            adminCalls.incrementAndGet();
            if (adminSilent) {
                return;
            }
            UniserveException error = adminError;
            adminError = null;
            try {
                AdminReply reply = ScriptedCluster.this.admin(request);
                completion.done(error == null ? Outcome.ok(reply) : Outcome.err(error));
            } catch (UniserveException e) {
                completion.done(Outcome.err(e));
            }
        }

        private ServerRecord toRecord() {
            PortInfo port = new PortInfo("kv", "1", Set.of(), List.of(), updates);
            return new ServerRecord(id, 1, address(), "z", new Capacity(1_000, 1, 1), List.of(port));
        }

        @Override
        public void close() {
            server.close();
        }
    }

    static Answer text(String text) {
        return new Answer("text/plain", Bytes.utf8(text));
    }
}
