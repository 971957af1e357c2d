package io.uniserve.runtime.transport.check;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.TrashCall;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.proto.LoginProto;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One well-formed request of each kind, for one table. */
final class SampleRequests {
    private static final long SECOND = 1_000_000_000L;
    private static final ServerId SERVER = new ServerId("server-1");
    private static final UserCredential CREDENTIAL = new UserCredential(
            "x",
            Bytes.wrap(new byte[Limits.PASSWORD_SALT_BYTES]),
            Limits.PASSWORD_ITERATIONS_MIN,
            Bytes.wrap(new byte[Limits.PASSWORD_KEY_BYTES]),
            Bytes.wrap(new byte[Limits.PASSWORD_KEY_BYTES]));
    private static final BackupName BACKUP = new BackupName("backup");

    private SampleRequests() {}

    /** Definition of the table. */
    static TableMeta meta(TableName table) {
        return new TableMeta(
                table, 1, new Partitioner.Hash(1), "id", ConsistencyLevel.EVENTUAL, 1, 1, OnLoss.WAIT, "kv", Map.of());
    }

    /** Requests to the coordinator. */
    static List<AdminRequest> admin(TableName table) {
        return List.of(
                new AdminRequest.CreateTable(meta(table)),
                new AdminRequest.DescribeTable(table),
                new AdminRequest.DropTable(table),
                new AdminRequest.ListTables(),
                new AdminRequest.Status(),
                new AdminRequest.UpdateTable(meta(table), Map.of()),
                new AdminRequest.MoveReplica(table, 0, SERVER, SERVER),
                new AdminRequest.DrainServer(SERVER, true),
                new AdminRequest.BackupTable(table, BACKUP),
                new AdminRequest.SalvageTable(1, BACKUP),
                new AdminRequest.RestoreTable(BACKUP, table),
                new AdminRequest.ListBackups(),
                new AdminRequest.VerifyBackup(BACKUP),
                new AdminRequest.DeleteBackup(BACKUP),
                new AdminRequest.BackupWork(BACKUP),
                new AdminRequest.LostTables(),
                new AdminRequest.ReplicateActor(table, 0, 1),
                new AdminRequest.ServerTrash(SERVER, TrashCall.list()),
                new AdminRequest.VerifyActor(table, 0),
                new AdminRequest.CreateChunks(table, 1, List.of(0)),
                new AdminRequest.ExplainChunk(table, 0),
                new AdminRequest.HoldScaling("test"),
                new AdminRequest.ScalingStatus(),
                new AdminRequest.ChangeGrant(new RoleGrant("x", Role.READER, TablePattern.ALL), false),
                new AdminRequest.ListGrants("", false),
                new AdminRequest.ChangeRevocation(new Revocation("user/x"), false),
                new AdminRequest.ChangeLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 1),
                new AdminRequest.PutUser(CREDENTIAL, true),
                new AdminRequest.RemoveUser("x"),
                new AdminRequest.ListUsers());
    }

    static PublicKey publicKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair().getPublic();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no curve P-256", e);
        }
    }

    /** First message of the login of a user without a password. */
    static LoginProto.LoginFirst loginFirst() {
        return LoginProto.LoginFirst.newBuilder().setMessage("n,,n=x,r=x").build();
    }

    /** Final message of no login. */
    static LoginProto.LoginFinal loginFinal() {
        return LoginProto.LoginFinal.newBuilder()
                .setMessage("c=biws,r=x,p=" + "A".repeat(43) + "=")
                .build();
    }

    static ReadRequest read(TableName table) {
        return new ReadRequest(
                table,
                1,
                List.of(new ReadRequest.Target(0, 1, 0)),
                "kv.get@1",
                Bytes.EMPTY,
                1,
                1,
                0,
                SECOND,
                ReadMode.LINEARIZABLE);
    }

    static VersionedRead versionedRead(TableName table) {
        return new VersionedRead(
                table,
                1,
                List.of(new VersionedRead.Target(0, 1)),
                "kv.get@1",
                Bytes.EMPTY,
                0,
                false,
                false,
                false,
                SECOND);
    }

    static UpdateRequest update(TableName table) {
        return new UpdateRequest(
                table,
                1,
                new RequestId(1, 1, 1),
                0,
                0,
                AckLevel.ISR,
                "kv.put@1",
                List.of(new UpdateRequest.ActorRows(0, 1, Bytes.EMPTY)),
                SECOND);
    }

    static QueryRequest query(TableName table) {
        return new QueryRequest(
                table, "count", List.of(), Optional.empty(), SECOND, 1, List.of(), ReadMode.LINEARIZABLE, false, 0, 0);
    }
}
