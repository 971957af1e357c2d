package io.uniserve.protocol;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;

/** Where the cluster's state lies in the registry, relative to the cluster's root. Used by servers and coordinators alike. */
public final class RegistryPaths {
    /** {@link io.uniserve.model.ClusterRecord}. */
    public static final String CLUSTER = "/cluster";

    /** Parent of the one node that is named by the cluster's identity. */
    public static final String IDENTITY = "/identity";

    /** {@link io.uniserve.model.CoordinatorRecord}, ephemeral: the leader. */
    public static final String LEADER = "/coordinator/leader";

    /** {@link io.uniserve.model.TermRecord}; its version is the term. */
    public static final String TERM = "/coordinator/term";

    /** Parent of the ephemeral nodes of live servers. */
    public static final String SERVERS = "/servers";

    /** Parent of the tables, by name. */
    public static final String TABLES = "/tables";

    /** Parent of the {@link io.uniserve.model.Tombstone}s, by the table's number. */
    public static final String TOMBSTONES = "/tombstones";

    private static final String LOG = "/log-";
    private static final String OUTCOMES = "/outcomes-";

    private RegistryPaths() {}

    /** The {@link io.uniserve.model.IdentityRecord} of the cluster with this identity. */
    public static String identity(String identity) {
        return IDENTITY + "/" + identity;
    }

    /** A live server's ephemeral {@link io.uniserve.model.ServerRecord}. */
    public static String server(ServerId id) {
        return SERVERS + "/" + id.value();
    }

    /** A table's node, which has no value of its own. */
    public static String table(TableName name) {
        return TABLES + "/" + name.value();
    }

    /** A table's {@link io.uniserve.model.TableMeta}. */
    public static String meta(TableName name) {
        return table(name) + "/meta";
    }

    /** A table's {@link io.uniserve.model.TableMap}. */
    public static String map(TableName name) {
        return table(name) + "/map";
    }

    /**
     * The {@link io.uniserve.model.TransactionLogState} of a table whose updates are atomic. By the table's number: of two tables that have a
     * name one after the other a late write for the first never meets the second, whatever the versions of their nodes.
     */
    public static String log(TableName name, long tableId) {
        return table(name) + LOG + tableId;
    }

    /** The {@link io.uniserve.model.TransactionHistory} of such a table; absent where it has none yet. By its number, as its log is. */
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

    /** Of a node below a table's. */
    private static String last(String path) {
        int at = path.lastIndexOf('/');
        return path.startsWith(TABLES + "/") && at > TABLES.length() ? path.substring(at) : "";
    }

    /** The {@link io.uniserve.model.Tombstone} of a table's number. It is created and deleted, and never changed. */
    public static String tombstone(long tableId) {
        return TOMBSTONES + "/" + tableId;
    }

    /** Parent of a table's backup records. */
    public static String backups(TableName name) {
        return table(name) + "/backup";
    }

    /** An actor's {@link io.uniserve.model.BackupRecord}. By its table's number, as the log is. */
    public static String backup(TableName name, ReplicaKey key) {
        return backups(name) + "/" + key.tableId() + "-" + key.actor();
    }
}
