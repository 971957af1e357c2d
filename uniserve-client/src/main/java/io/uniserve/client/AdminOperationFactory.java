package io.uniserve.client;

import io.uniserve.client.operation.AdminOperation;
import io.uniserve.client.operation.Operation;
import io.uniserve.client.operation.RoutingUpdateWaiter;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.TrashCall;
import io.uniserve.runtime.transport.QueriesHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Factory of administrative operations. Thread-safe. */
final class AdminOperationFactory {
    private static final long VISIBLE_NANOS = 5_000_000_000L;

    private final ClientCore core;

    public AdminOperationFactory(ClientCore core) {
        this.core = core;
    }

    /** Creates a table and waits until this client's routing map has it. */
    public CompletableFuture<TableRoute> create(TableMeta meta, long deadlineNanos) {
        return call(new AdminRequest.CreateTable(meta), deadlineNanos).thenCompose(answer -> {
            if (answer.outcome() instanceof Outcome.Err<AdminReply> err) {
                boolean ours = err.error().code() == ErrorCode.TABLE_EXISTS && answer.outcomeUnknownBefore();
                if (!ours) {
                    return CompletableFuture.failedFuture(err.error());
                }
                return describe(meta.name(), deadlineNanos)
                        .thenCompose(found -> isSameDefinition(found.meta(), meta)
                                ? awaitVisible(found, deadlineNanos)
                                : CompletableFuture.failedFuture(err.error()));
            }
            return describe(meta.name(), deadlineNanos).thenCompose(found -> awaitVisible(found, deadlineNanos));
        });
    }

    private static boolean isSameDefinition(TableMeta found, TableMeta wanted) {
        return wanted.withNameAndId(wanted.name(), found.tableId()).equals(found);
    }

    private CompletableFuture<TableRoute> awaitVisible(TableRoute made, long deadlineNanos) {
        long id = made.meta().tableId();
        return awaitRouting(
                        index -> index.table(made.meta().name())
                                .filter(table -> table.meta().tableId() >= id)
                                .isPresent(),
                        deadlineNanos)
                .thenApply(done -> made);
    }

    /** Changes a table's options and waits until this client's routing map has them. */
    public CompletableFuture<TableRoute> update(TableMeta known, Map<String, String> options, long deadlineNanos) {
        TableMeta next = known.with(options);
        return call(new AdminRequest.UpdateTable(known, options), deadlineNanos).thenCompose(answer -> {
            if (answer.outcome() instanceof Outcome.Err<AdminReply> err) {
                return CompletableFuture.failedFuture(err.error());
            }
            return awaitRouting(
                            index -> index.table(known.name())
                                    .filter(table -> table.meta().equals(next)
                                            || table.meta().tableId() > next.tableId())
                                    .isPresent(),
                            deadlineNanos)
                    .thenCompose(done -> describe(known.name(), deadlineNanos));
        });
    }

    /** Requests the move of a replica. */
    public CompletableFuture<Done> move(TableName name, int actor, ServerId from, ServerId to, long deadlineNanos) {
        return sendRecordedChange(new AdminRequest.MoveReplica(name, actor, from, to), deadlineNanos);
    }

    /** Requests a number of replicas for an actor. */
    public CompletableFuture<Done> replicate(TableName name, int actor, int copies, long deadlineNanos) {
        return sendRecordedChange(new AdminRequest.ReplicateActor(name, actor, copies), deadlineNanos);
    }

    /** Requests a drain of a server, or its end. */
    public CompletableFuture<Done> drain(ServerId server, boolean drained, long deadlineNanos) {
        return sendRecordedChange(new AdminRequest.DrainServer(server, drained), deadlineNanos);
    }

    /**
     * Sends a request about a server's trash. If an entry is missing at a second attempt, the first may have deleted or restored it:
     * OUTCOME_UNKNOWN.
     */
    public CompletableFuture<TrashReport> trash(ServerId server, TrashCall call, long deadlineNanos) {
        return call(new AdminRequest.ServerTrash(server, call), deadlineNanos).thenCompose(answer -> {
            boolean again = answer.outcomeUnknownBefore()
                    && answer.outcome() instanceof Outcome.Err<AdminReply> err
                    && err.error().code() == ErrorCode.INVALID_ARGUMENT
                    && call.action() != TrashCall.Action.LIST;
            if (again) {
                return CompletableFuture.failedFuture(new UniserveException(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "trash entry \"" + call.entry() + "\" of server " + server
                                + " may have been handled by an earlier attempt: list the trash"));
            }
            return CompletableFuture.completedFuture(
                    value(answer, AdminReply.Trashed.class).report());
        });
    }

    /** Returns the running queries of each live server. If the number is not 0, cancels that query and returns only it. */
    public CompletableFuture<List<ServerQueries>> queries(long cancel, long deadlineNanos) {
        List<CompletableFuture<ServerQueries>> asked = core.index().routing().servers().stream()
                .map(server -> queries(server, cancel, deadlineNanos))
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(all -> asked.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<ServerQueries> queries(ServerRecord server, long cancel, long deadlineNanos) {
        CompletableFuture<ServerQueries> told = new CompletableFuture<>();
        long timeout = Math.max(1, deadlineNanos - core.clock().nanos());
        core.network()
                .queries(
                        server.address(),
                        cancel,
                        timeout,
                        outcome -> told.complete(toServerQueries(server.id(), outcome)));
        return told;
    }

    private static ServerQueries toServerQueries(ServerId server, Outcome<QueriesHandler.Running> outcome) {
        return outcome instanceof Outcome.Ok<QueriesHandler.Running> ok
                ? new ServerQueries(server, ok.value().queries(), ok.value().stuck(), Optional.empty())
                : new ServerQueries(server, List.of(), 0, Optional.of(outcome.error()));
    }

    /** Returns the certificates of each live server and of the leading coordinator. */
    public CompletableFuture<List<ProcessCertificate>> certificates(long deadlineNanos) {
        List<CompletableFuture<ProcessCertificate>> asked = new ArrayList<>();
        Routing routing = core.index().routing();
        if (routing.coordinator() != null) {
            asked.add(certificate("coordinator", routing.coordinator(), deadlineNanos));
        }
        routing.servers()
                .forEach(server -> asked.add(certificate(server.id().value(), server.address(), deadlineNanos)));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(all -> asked.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<ProcessCertificate> certificate(String process, Address address, long deadlineNanos) {
        CompletableFuture<ProcessCertificate> answer = new CompletableFuture<>();
        long timeout = Math.max(1, deadlineNanos - core.clock().nanos());
        core.certificates()
                .describe(
                        address,
                        timeout,
                        outcome -> answer.complete(
                                outcome instanceof Outcome.Ok<CertificateStatus> ok
                                        ? new ProcessCertificate(
                                                process, address, Optional.of(ok.value()), Optional.empty())
                                        : new ProcessCertificate(
                                                process, address, Optional.empty(), Optional.of(outcome.error()))));
        return answer;
    }

    /** Sends a change whose reply has no content. */
    public CompletableFuture<Done> sendChange(AdminRequest change, long deadlineNanos) {
        return sendRecordedChange(change, deadlineNanos);
    }

    /** Holds automatic scaling, or resumes it with an empty reason. */
    public CompletableFuture<Done> holdScaling(String reason, long deadlineNanos) {
        return sendRecordedChange(new AdminRequest.HoldScaling(reason), deadlineNanos);
    }

    /** Returns the rules of a user, or of all. */
    public CompletableFuture<AdminReply.UserRoles> grants(AdminRequest.ListGrants request, long deadlineNanos) {
        return call(request, deadlineNanos).thenApply(answer -> value(answer, AdminReply.UserRoles.class));
    }

    /** Returns the users with a password. */
    public CompletableFuture<AdminReply.Users> users(long deadlineNanos) {
        return call(new AdminRequest.ListUsers(), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Users.class));
    }

    /** Returns the state of the auto-scaler. */
    public CompletableFuture<AdminReply.Scaling> scaling(long deadlineNanos) {
        return call(new AdminRequest.ScalingStatus(), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Scaling.class));
    }

    /** Explains the placement of a chunk. */
    public CompletableFuture<AdminReply.ChunkExplanation> explainChunk(
            TableName name, long millis, long deadlineNanos) {
        return call(new AdminRequest.ExplainChunk(name, millis), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.ChunkExplanation.class));
    }

    /** Compares an actor's replicas. */
    public CompletableFuture<PeerReply.Compared> verify(TableName name, int actor, long deadlineNanos) {
        return call(new AdminRequest.VerifyActor(name, actor), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Verified.class).compared());
    }

    /** Creates a table from a backup and waits until this client's routing map has it. */
    public CompletableFuture<TableRoute> restore(BackupName backup, TableName table, long deadlineNanos) {
        return call(new AdminRequest.RestoreTable(backup, table), deadlineNanos).thenCompose(answer -> {
            if (answer.outcome() instanceof Outcome.Err<AdminReply> err) {
                return CompletableFuture.failedFuture(
                        err.error().code() == ErrorCode.TABLE_EXISTS && answer.outcomeUnknownBefore()
                                ? new UniserveException(
                                        ErrorCode.OUTCOME_UNKNOWN,
                                        "table " + table + " exists now, perhaps from this restoration: describe it",
                                        err.error())
                                : err.error());
            }
            return describe(table, deadlineNanos).thenCompose(found -> awaitVisible(found, deadlineNanos));
        });
    }

    /** Returns the backups in durable storage. */
    public CompletableFuture<List<BackupInfo>> backups(long deadlineNanos) {
        return call(new AdminRequest.ListBackups(), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Backups.class).backups());
    }

    /** Returns the progress of the running operation on a backup. */
    public CompletableFuture<AdminReply.WorkProgress> backupWork(BackupName name, long deadlineNanos) {
        return call(new AdminRequest.BackupWork(name), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.WorkProgress.class));
    }

    /** Returns definitions of tables that exist only in durable storage. */
    public CompletableFuture<List<TableMeta>> lostTables(long deadlineNanos) {
        return call(new AdminRequest.LostTables(), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Definitions.class).tables());
    }

    private CompletableFuture<Done> sendRecordedChange(AdminRequest wish, long deadlineNanos) {
        return call(wish, deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Ack.class))
                .thenApply(ack -> Done.DONE);
    }

    /** Returns definition and map of a table from the coordinator. */
    public CompletableFuture<TableRoute> describe(TableName name, long deadlineNanos) {
        return call(new AdminRequest.DescribeTable(name), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Tables.class).tables())
                .thenApply(tables -> tables.stream()
                        .findFirst()
                        .orElseThrow(() ->
                                new UniserveException(ErrorCode.TABLE_NOT_FOUND, "table " + name + " does not exist")));
    }

    /** Returns all tables from the coordinator. */
    public CompletableFuture<List<TableRoute>> list(long deadlineNanos) {
        return call(new AdminRequest.ListTables(), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.Tables.class).tables());
    }

    /** Drops a table and waits until this client's routing map does not have it any more. */
    public CompletableFuture<Done> drop(TableName name, long deadlineNanos) {
        long known =
                core.index().table(name).map(table -> table.meta().tableId()).orElse(Long.MIN_VALUE);
        return call(new AdminRequest.DropTable(name), deadlineNanos).thenCompose(answer -> {
            if (answer.outcome() instanceof Outcome.Err<AdminReply> err
                    && !(err.error().code() == ErrorCode.TABLE_NOT_FOUND && answer.outcomeUnknownBefore())) {
                return CompletableFuture.failedFuture(err.error());
            }
            return awaitRouting(
                    index -> index.table(name)
                            .filter(table -> table.meta().tableId() == known)
                            .isEmpty(),
                    deadlineNanos);
        });
    }

    /** Returns servers, tables and loads. */
    public CompletableFuture<AdminReply.ClusterStatus> status(long deadlineNanos) {
        return call(new AdminRequest.Status(), deadlineNanos)
                .thenApply(answer -> value(answer, AdminReply.ClusterStatus.class));
    }

    private static <T extends AdminReply> T value(AdminOperation.Answer answer, Class<T> type) {
        if (answer.outcome() instanceof Outcome.Err<AdminReply> err) {
            throw err.error();
        }
        AdminReply reply = answer.outcome().value();
        if (!type.isInstance(reply)) {
            throw new UniserveException(
                    ErrorCode.INTERNAL,
                    "the coordinator answered with " + reply.getClass().getSimpleName());
        }
        return type.cast(reply);
    }

    private Operation<AdminOperation.Answer> call(AdminRequest request, long deadlineNanos) {
        return core.beginAdmin((operation, environment) -> {
            AdminOperation run = new AdminOperation(environment, core.admin(), request, deadlineNanos, operation);
            operation.start(run::start, run::cancel);
        });
    }

    private CompletableFuture<Done> awaitRouting(Predicate<RouteIndex> shown, long deadlineNanos) {
        long patience = Math.min(VISIBLE_NANOS, deadlineNanos - core.clock().nanos());
        return core.beginAdmin((operation, environment) -> {
            RoutingUpdateWaiter wait = new RoutingUpdateWaiter(environment, shown, operation);
            operation.start(() -> wait.start(Math.max(1, patience)), wait::end);
        });
    }
}
