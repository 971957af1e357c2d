package io.uniserve.protocol;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;

/** Paths of the cluster's state in the registry, relative to the cluster's root, for servers and coordinators. */
public final class RegistryPaths {
    /** {@link io.uniserve.model.registry.ClusterRecord}. */
    public static final String CLUSTER = "/cluster";

    /** Parent of the single node that is named by the cluster's identity. */
    public static final String IDENTITY = "/identity";

    /** {@link io.uniserve.model.registry.CoordinatorRecord} of the leader, ephemeral. */
    public static final String LEADER = "/coordinator/leader";

    /** {@link io.uniserve.model.registry.TermRecord}; its znode version is the term. */
    public static final String TERM = "/coordinator/term";

    /** Parent of the ephemeral nodes of live servers. */
    public static final String SERVERS = "/servers";

    /** Parent of the tables, by name. */
    public static final String TABLES = "/tables";

    /** {@link io.uniserve.model.registry.ScalingRecord} of the auto-scaler; absent if it never acted. */
    public static final String SCALING = "/scaling";

    /** {@link io.uniserve.model.registry.AccessRules} of users; absent if nothing was granted. */
    public static final String ACCESS = "/access";

    /** {@link io.uniserve.model.registry.UserCredentials}; absent if no user has a password. */
    public static final String USERS = "/users";

    /** Parent of the {@link io.uniserve.model.registry.Tombstone}s, by the table's number. */
    public static final String TOMBSTONES = "/tombstones";

    private static final String LOG = "/log-";
    private static final String OUTCOMES = "/outcomes-";

    private RegistryPaths() {}

    /** The {@link io.uniserve.model.registry.IdentityRecord} of the cluster with this identity. */
    public static String identity(String identity) {
        return IDENTITY + "/" + identity;
    }

    /** A live server's ephemeral {@link io.uniserve.model.registry.ServerRecord}. */
    public static String server(ServerId id) {
        return SERVERS + "/" + id.value();
    }

    /** A table's node, which has no value of its own. */
    public static String table(TableName name) {
        return TABLES + "/" + name.value();
    }

    /** A table's {@link io.uniserve.model.registry.TableMeta}. */
    public static String meta(TableName name) {
        return table(name) + "/meta";
    }

    /** A table's {@link io.uniserve.model.registry.TableMap}. */
    public static String map(TableName name) {
        return table(name) + "/map";
    }

    /**
     * The {@link io.uniserve.model.registry.TransactionLogState} of an atomic table. The path has the table's number, so a late write for a dropped
     * table never affects a new table of the same name, whatever the znode versions are.
     */
    public static String log(TableName name, long tableId) {
        return table(name) + LOG + tableId;
    }

    /**
     * The {@link io.uniserve.model.registry.DecisionHistory} of an atomic table; absent if there is none yet. The path has the table's number,
     * like that of the log.
     */
    public static String outcomes(TableName name, long tableId) {
        return table(name) + OUTCOMES + tableId;
    }

    /** True for the {@link #log} of any table. */
    public static boolean isLog(String path) {
        return last(path).startsWith(LOG);
    }

    /** True for the {@link #outcomes} of any table. */
    public static boolean isOutcomes(String path) {
        return last(path).startsWith(OUTCOMES);
    }

    /** Last part of the path of a node below a table's node. */
    private static String last(String path) {
        int at = path.lastIndexOf('/');
        return path.startsWith(TABLES + "/") && at > TABLES.length() ? path.substring(at) : "";
    }

    /** The {@link io.uniserve.model.registry.Tombstone} of a table number. It is created and deleted, and never changed. */
    public static String tombstone(long tableId) {
        return TOMBSTONES + "/" + tableId;
    }

    /** Parent of a table's backup records. */
    public static String backups(TableName name) {
        return table(name) + "/backup";
    }

    /** An actor's {@link io.uniserve.model.registry.BackupRecord}. The path has the table's number, like that of the log. */
    public static String backup(TableName name, ReplicaKey key) {
        return backups(name) + "/" + key.tableId() + "-" + key.actor();
    }
}
