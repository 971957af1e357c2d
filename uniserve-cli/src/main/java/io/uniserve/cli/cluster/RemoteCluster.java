package io.uniserve.cli.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.ActorSelection;
import io.uniserve.client.Admin;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.client.ServerQueries;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UniserveClientBuilder;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.model.AckLevel;
import io.uniserve.model.Address;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.Scaling;
import io.uniserve.protocol.message.AdminReply.UserInfo;
import io.uniserve.protocol.message.AdminReply.UserRoles;
import io.uniserve.protocol.message.AdminReply.WorkProgress;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Cluster of real processes, used through the public client. */
public final class RemoteCluster implements ClusterClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration ADMIN_DEADLINE = Duration.ofSeconds(60);
    /** Longer than an election, and short enough for interactive use. */
    private static final Duration STATUS_DEADLINE = Duration.ofSeconds(15);

    private static final Duration BACKUP_DEADLINE = Duration.ofHours(1);

    private final UniserveClient client;

    private RemoteCluster(UniserveClient client) {
        this.client = client;
    }

    /** Connects to the first address that answers; see {@link ClusterConnector}. */
    public static ClusterClient connect(ConnectOptions options) {
        UniserveClientBuilder builder = UniserveClient.builder().connectTimeout(CONNECT_TIMEOUT);
        options.config().ifPresent(builder::config);
        builder.withoutRenewal(); // the new files would belong to the account of the command
        builder.bootstrap(options.bootstrap().stream().map(Address::toString).toArray(String[]::new));
        options.tls().ifPresent(builder::tls);
        options.user().ifPresent(builder::user);
        return new RemoteCluster(builder.deadline(ADMIN_DEADLINE).build());
    }

    @Override
    public List<TableRoute> tables() {
        return client.admin().listTables();
    }

    @Override
    public TableRoute table(TableName name) {
        return client.admin().describeTable(name.value());
    }

    @Override
    public TableRoute create(TableMeta meta) {
        return client.admin().createTable(meta);
    }

    @Override
    public TableRoute update(TableName name, Map<String, String> options) {
        return client.admin().updateTable(name.value(), options);
    }

    @Override
    public void move(TableName table, int actor, ServerId from, ServerId to) {
        client.admin().moveReplica(table.value(), actor, from.value(), to.value());
    }

    @Override
    public void replicate(TableName table, int actor, int copies) {
        client.admin().replicateActor(table.value(), actor, copies);
    }

    @Override
    public void drain(ServerId server, boolean drained) {
        if (drained) {
            client.admin().drainServer(server.value());
        } else {
            client.admin().undrainServer(server.value());
        }
    }

    @Override
    public void drop(TableName name) {
        client.admin().dropTable(name.value());
    }

    @Override
    public void backup(TableName table, BackupName name) {
        adminWithLongDeadline().backupTable(table.value(), name.value());
    }

    @Override
    public void salvage(long tableId, BackupName name) {
        adminWithLongDeadline().salvageTable(tableId, name.value());
    }

    @Override
    public TableRoute restore(BackupName name, TableName table) {
        return adminWithLongDeadline().restoreTable(name.value(), table.value());
    }

    @Override
    public List<BackupInfo> backups() {
        return client.admin().listBackups();
    }

    @Override
    public void verify(BackupName name) {
        adminWithLongDeadline().verifyBackup(name.value());
    }

    @Override
    public Scaling scaling() {
        return client.admin().scaling();
    }

    @Override
    public void holdScaling(String reason) {
        if (reason.isEmpty()) {
            client.admin().resumeScaling();
        } else {
            client.admin().holdScaling(reason);
        }
    }

    @Override
    public void changeGrant(RoleGrant grant, boolean revoke) {
        client.admin().changeGrant(grant, revoke);
    }

    @Override
    public void changeRevocation(Revocation revocation, boolean undo) {
        client.admin().changeRevocation(revocation, undo);
    }

    @Override
    public void changeLimit(Role role, LimitKind kind, long value) {
        client.admin().changeLimit(role, kind, value);
    }

    @Override
    public List<ProcessCertificate> certificates() {
        return client.admin().certificates();
    }

    @Override
    public void putUser(UserCredential credential, boolean add) {
        client.admin().putUser(credential, add);
    }

    @Override
    public void removeUser(String name) {
        client.admin().removeUser(name);
    }

    @Override
    public List<UserInfo> users() {
        return client.admin().users();
    }

    @Override
    public UserRoles grants(String user) {
        return client.admin().grants(user);
    }

    @Override
    public UserRoles allGrants() {
        return client.admin().allGrants();
    }

    @Override
    public ChunkExplanation explainChunk(TableName table, long millis) {
        return client.admin().explainChunk(table.value(), millis);
    }

    @Override
    public Compared verify(TableName table, int actor) {
        return adminWithLongDeadline().verifyActor(table.value(), actor);
    }

    @Override
    public void delete(BackupName name) {
        adminWithLongDeadline().deleteBackup(name.value());
    }

    @Override
    public WorkProgress backupProgress(BackupName name) {
        return client.admin().backupWork(name.value());
    }

    @Override
    public List<TableMeta> lostTables() {
        return client.admin().lostTables();
    }

    @Override
    public List<ServerQueries> queries() {
        return client.admin().queries();
    }

    @Override
    public RunningQuery cancelQuery(long id) {
        return client.admin().cancelQuery(id);
    }

    @Override
    public TrashReport trash(ServerId server) {
        return client.admin().trash(server.value());
    }

    @Override
    public void restoreTrash(ServerId server, String entry) {
        TrashReport unused = client.admin().restoreTrash(server.value(), entry);
    }

    @Override
    public void purgeTrash(ServerId server, String entry) {
        TrashReport unused = client.admin().purgeTrash(server.value(), entry);
    }

    /** Returns an admin client with a long deadline, for calls that may read all of a table's data. */
    private Admin adminWithLongDeadline() {
        return client.admin().deadline(BACKUP_DEADLINE);
    }

    @Override
    public ClusterStatus status() {
        return client.admin().deadline(STATUS_DEADLINE).status();
    }

    @Override
    public List<ServerRecord> servers() {
        return client.routing().servers();
    }

    @Override
    public UpdateOutcome update(TableName table, String function, List<Document> rows, AckLevel ack, long deadlineMs) {
        return client.table(table.value())
                .update(function, Document.CODEC, rows)
                .ack(ack)
                .deadline(Duration.ofMillis(deadlineMs))
                .run();
    }

    @Override
    public UpdateOutcome updateEverywhere(
            TableName table, String function, List<Document> rows, AckLevel ack, long deadlineMs) {
        return client.table(table.value())
                .update(function, Document.CODEC, rows)
                .everywhere()
                .ack(ack)
                .deadline(Duration.ofMillis(deadlineMs))
                .run();
    }

    @Override
    public Answer query(TableName table, String text, ReadMode mode, long deadlineMs) {
        return selectAll(table, mode, deadlineMs).query(text);
    }

    @Override
    public Answer explain(TableName table, String text, ReadMode mode, long deadlineMs) {
        return selectAll(table, mode, deadlineMs).explain(text);
    }

    private ActorSelection selectAll(TableName table, ReadMode mode, long deadlineMs) {
        return client.table(table.value()).all().mode(mode).deadline(Duration.ofMillis(deadlineMs));
    }

    @Override
    public void close() {
        client.close();
    }
}
