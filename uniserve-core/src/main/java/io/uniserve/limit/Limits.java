package io.uniserve.limit;

/** All limits of the system. Sizes are in bytes, durations in the unit of the name. Each limit is checked where input enters. */
public final class Limits {
    public static final int NAME_LENGTH_MAX = 64;
    public static final int ACTORS_PER_TABLE_MAX = 4096;

    /** Live actors of a TIME table. Its map is one node of the registry, which has at most 1 MiB. */
    public static final int TIME_ACTORS_PER_TABLE_MAX = 32_768;

    /** Encoded newest chunks of committed versions of a TIME table: two numbers of at most 9 bytes per live chunk, and one. */
    public static final int CHUNK_VERSIONS_BYTES_MAX = 18 * TIME_ACTORS_PER_TABLE_MAX + 9;

    /** Buckets per chunk of a TIME table. */
    public static final int TIME_BUCKETS_MAX = 1_024;

    /** Chunks in one request to make chunks. */
    public static final int CHUNKS_PER_REQUEST_MAX = 256;

    public static final int TABLES_MAX = 1024;
    public static final int REPLICATION_FACTOR_MAX = 16;
    public static final int CONFIG_FILE_BYTES_MAX = 1 << 20;
    public static final int TABLE_OPTIONS_MAX = 64;
    public static final int TABLE_OPTION_BYTES_MAX = 131_072;
    public static final int PACKED_FILES_BYTES_MAX = 4 << 20;
    public static final int KEY_BYTES_MAX = 4_096;
    public static final int ROW_BYTES_MAX = 17 << 20;

    /** Characters of a row in a file to load: a line, a record of CSV, a document or a command of JSON or XML. */
    public static final int ROW_TEXT_CHARS_MAX = 8 << 20;

    /** Values of such a row, including those in lists and maps. */
    public static final int ROW_TEXT_VALUES_MAX = 1 << 20;

    /** Columns of a CSV file. */
    public static final int CSV_COLUMNS_MAX = 1 << 14;

    public static final int BATCH_ROWS_MAX = 200_000;
    public static final int BATCH_BYTES_MAX = 24 << 20;
    public static final int MESSAGE_BYTES_MAX = 32 << 20;
    public static final int PARAMETER_BYTES_MAX = 8 << 20;
    public static final int QUERY_TEXT_CHARS_MAX = 1 << 18;
    public static final int QUERY_WINDOW_ROWS_MAX = 100_000;

    /** Nesting depth of brackets in a query, for engines with a recursive parser. */
    public static final int QUERY_NESTING_MAX = 500;

    /** Clauses of a boolean query, unless the table permits more. */
    public static final int QUERY_CLAUSES_DEFAULT = 1_024;

    /** Maximum of clauses that a table can permit. */
    public static final int QUERY_CLAUSES_MAX = 65_536;

    public static final int RESULT_BYTES_PER_ACTOR_MAX = 16 << 20;
    public static final int RESULT_BYTES_PER_REPLY_MAX = 28 << 20;
    public static final int RESULT_BYTES_PER_QUERY_MAX = 128 << 20;
    public static final int DOCUMENT_FIELDS_MAX = 4_096;
    public static final int DOCUMENT_DEPTH_MAX = 16;
    public static final int LOG_ENTRY_BYTES_MAX = 26 << 20;
    public static final int LOG_SEGMENT_BYTES = 64 << 20;
    public static final long LOG_BYTES_PER_ACTOR_MAX_DEFAULT = 4L << 30;
    /** Newest bytes of an actor's log that log truncation keeps. */
    public static final long LOG_RETAIN_BYTES_DEFAULT = 256L << 20;
    /** A learner prevents truncation of the log until the log has reached its maximum size divided by this number. */
    public static final int LOG_HELD_FOR_LEARNERS_PART = 2;

    public static final int REPLICATE_BYTES_MAX = 4 << 20;
    public static final int REPLICATE_ENTRIES_MAX = 1_024;
    public static final int APPLY_BATCH_ENTRIES_MAX = 256;
    public static final int UPDATE_APPLY_ATTEMPTS = 3;
    public static final long UNPUBLISHED_BYTES_MAX = 64L << 20;
    public static final long UNPUBLISHED_QUIET_MS = 200;
    public static final long UNPUBLISHED_UNREAD_MS = 1_000;
    public static final int BACKUP_CHUNK_BYTES = 4 << 20;
    public static final int BACKUP_FILES_MAX = 16_384;
    public static final int BACKUP_CHUNKS_MAX = 262_144;
    public static final int BACKUP_MANIFEST_BYTES_MAX = 24 << 20;
    public static final int BACKUP_FILE_DEPTH_MAX = 8;
    public static final int BACKUP_LOG_OBJECTS_MAX = 1_024;
    public static final int BACKUP_NAME_CHARS_MAX = 128;
    public static final int BACKUPS_TOLD_MAX = 10_000;

    /** Actors of a table that a restoration can replace: one multi must contain all of them. */
    public static final int RESTORE_TABLE_ACTORS_MAX = 1_024;

    /** Versions in the stored log of one actor after its stored checkpoint, which a restoration compares. */
    public static final int SURVEY_VERSIONS_MAX = 1_000_000;

    /** Actors of a backup that are processed at the same time. */
    public static final int BACKUP_ACTORS_AT_ONCE = 8;

    /** Time for one actor's part of a backup; all its objects are read. */
    public static final long BACKUP_ACTOR_MS_MAX = 1_800_000;

    /** Time after which the primary ends a comparison of an actor's replicas. A replica without a digest by then counts as unknown. */
    public static final long COPIES_COMPARED_MS_MAX = 1_800_000;

    /** Margin of the coordinator's time-out for a comparison over the primary's, for the network and for slow clocks. */
    public static final long COPIES_COMPARED_MARGIN_MS = 180_000;

    public static final long DISK_STALL_MS_MAX = 10_000;

    /** A write to durable storage without an answer for this time counts as failed. */
    public static final long STORE_STALL_MS_MAX = 30_000;

    /**
     * Interval in which a server checks the owner of durable storage. After a longer pause it checks again before the next read or write.
     */
    public static final long STORE_OWNER_CHECK_MS = 60_000;

    /** Maximum age of the last check of the owner before a deletion and before a backup of a table. */
    public static final long STORE_OWNER_FRESH_MS = 1_000;

    /** Time after which durable storage of another owner is checked again. */
    public static final long STORE_OWNER_RECHECK_MS = 5_000;

    /** Problems in the report of one daemon. */
    public static final int PROBLEMS_TOLD_MAX = 64;

    public static final int PROBLEM_TEXT_CHARS_MAX = 1_024;

    /** Interval of the log line about a lost registry. */
    public static final long REGISTRY_LOSS_LOG_MS = 30_000;

    /** Time after which a lost registry is checked over a new connection: it may have lost its data. */
    public static final long REGISTRY_LOSS_CHECK_MS = 5_000;

    /** Interval of these checks. */
    public static final long REGISTRY_LOSS_RECHECK_MS = 15_000;

    public static final long TAKEOVER_RETRY_MS_MIN = 5_000;
    public static final long TAKEOVER_RETRY_MS_MAX = 300_000;
    public static final long RESTORE_RETRY_MS_MIN = 1_000;
    public static final long RESTORE_RETRY_MS_MAX = 30_000;
    public static final int PENDING_UPDATES_PER_ACTOR_MAX = 4_096;
    public static final long PENDING_UPDATE_BYTES_PER_ACTOR_MAX = 64L << 20;

    /** Updates that wait at a server until a primary that moves or starts is ready. */
    public static final int UPDATES_HELD_PER_ACTOR_MAX = 256;

    public static final long UPDATE_BYTES_HELD_PER_ACTOR_MAX = 24L << 20;
    public static final long UPDATE_HELD_MS_MAX = 1_000;
    public static final int REQUEST_CLIENTS_PER_ACTOR_MAX = 4_096;
    public static final int REQUESTS_PER_CLIENT_MAX = 1_024;
    public static final int QUERY_ATTEMPTS_PER_ACTOR_MAX = 16;
    public static final int SESSION_SNAPSHOTS_PER_SERVER_MAX = 1_024;
    public static final int SESSION_SNAPSHOTS_PER_ACTOR_MAX = 64;
    public static final int SESSION_RESTARTS_MAX = 3;

    /** Attempts of a planned query because a TIME table has got chunks that its map lacked. */
    public static final int CHUNK_MAPS_PER_QUERY_MAX = 16;

    public static final int PLANNING_TABLES_MAX = 256;
    public static final int UPDATE_ATTEMPTS_PER_ACTOR_MAX = 64;
    public static final long DEADLINE_MS_MAX = 3_600_000;

    /** Run time of a read or plan after which the pool adds a thread in its place. */
    public static final long LONG_TASK_MS = 50;

    /** Additional threads of one pool. */
    public static final int SPARE_THREADS_MAX = 64;

    /** Maximum share of one client in a server's capacity, in percent. */
    public static final int CLIENT_SHARE_PERCENT = 75;

    public static final int CLIENT_NAME_CHARS_MAX = 128;

    /** Rules that give roles to users. They are one node of the registry, which has at most 1 MiB. */
    public static final int GRANTS_MAX = 4_096;

    /** Authorities that a process trusts. */
    public static final int AUTHORITIES_MAX = 1_024;

    /** Certificates and identities that are not accepted any more. They are in the same node as the rules. */
    public static final int REVOCATIONS_MAX = 1_024;
    /** Users with a password. They are one node of the registry, which has at most 1 MiB. */
    public static final int USERS_MAX = 4_096;

    /** Sizes of a password's salt, and of each of its two keys. */
    public static final int PASSWORD_SALT_BYTES = 16;

    public static final int PASSWORD_KEY_BYTES = 32;

    /** Iterations of PBKDF2 for a password: the least of RFC 7677, the default, and the most that a client computes for a server. */
    public static final int PASSWORD_ITERATIONS_MIN = 4_096;

    public static final int PASSWORD_ITERATIONS_DEFAULT = 100_000;
    public static final int PASSWORD_ITERATIONS_MAX = 10_000_000;

    /** Characters of a new password, and of any password. */
    public static final int PASSWORD_CHARS_MIN = 8;

    public static final int PASSWORD_CHARS_MAX = 256;

    /** Characters of a message of a login, and of a token. */
    public static final int LOGIN_MESSAGE_CHARS_MAX = 1_024;

    /** Logins of one process between their first and final message; of one address; and their time. */
    public static final int LOGINS_PENDING_MAX = 4_096;

    public static final int LOGINS_PENDING_PER_ADDRESS_MAX = 64;
    public static final long LOGIN_PENDING_MS_MAX = 10_000;

    /** Failed logins of a user from an address, after which its logins from there are refused; the time of that; and such pairs. */
    public static final int LOGIN_FAILURES_MAX = 10;

    public static final long LOGIN_REFUSED_MS = 30_000;
    public static final int LOGIN_FAILURES_KEPT_MAX = 10_000;

    /** Users with failed logins from an address, after which logins of its other users are refused too. */
    public static final int LOGIN_FAILED_USERS_PER_ADDRESS_MAX = 1_000;

    /** Validity of a token, and verified tokens that a process remembers. */
    public static final long LOGIN_TOKEN_MS = 600_000;

    public static final int LOGIN_TOKENS_KEPT_MAX = 10_000;

    /** Pauses of a client after its password was refused; they double. */
    public static final long LOGIN_RETRY_MS_MIN = 5_000;

    public static final long LOGIN_RETRY_MS_MAX = 60_000;

    /** Time of one login. */
    public static final long LOGIN_MS_MAX = 10_000;

    /** Time in which a stopped daemon must end, in addition to drain and grace periods; then it is halted. */
    public static final long STOP_MS_MAX = 30_000;

    public static final int SERVERS_MAX = 1_024;

    /** Launched servers that the auto-scaler records, including ended ones; its newest decisions; and characters of their reasons. */
    public static final int SCALING_INSTANCES_MAX = 512;

    public static final int SCALING_EVENTS_MAX = 64;
    public static final int SCALING_REASON_CHARS_MAX = 300;
    public static final int INSTANCE_ID_CHARS_MAX = 256;
    public static final int PORTS_PER_SERVER_MAX = 64;
    public static final int FUNCTIONS_PER_PORT_MAX = 1_024;
    public static final int IDENTIFIER_CHARS_MAX = 256;
    public static final int MESSAGE_TEXT_CHARS_MAX = 8_192;
    public static final int DIGEST_BYTES_MAX = 1_024;
    public static final int ATTEMPTS_TOLD_MAX = 256;
    public static final int REPLICAS_PER_SERVER_MAX = 65_536;
    public static final int ROUTING_WATCHERS_MAX = 10_000;
    public static final int READS_PER_STREAM_MAX = 4_096;
    public static final int READ_REPLY_PIECE_BYTES = 256 << 10;
    public static final int UNSENT_REPLY_BYTES_PER_STREAM_MAX = 4 << 20;

    /** Requests per table with an outcome that is kept for retries. */
    public static final int TABLE_DECISIONS_KEPT = 1_024;

    /** Requests in a transaction log that all participants have logged. With one more, the older ones move to the outcomes node. */
    public static final int TABLE_DECISIONS_RECENT_MAX = 64;

    /** Decisions in a transaction log that is pushed to servers; they read a larger one themselves. */
    public static final int TOLD_DECISIONS_MAX = 256;

    /** Requests and actors in a transaction log that is pushed to servers. */
    public static final int TOLD_ENTRIES_MAX = 512;

    /** Actors of a table whose versions are started ahead: if another manager aborts such a version, all actors must log the abort. */
    public static final int AHEAD_ACTORS_MAX = 256;

    /** Aborts of versions started ahead that wait for an absent actor; with this many, no version is started ahead. */
    public static final int AHEAD_ABORTS_MAX = 8;

    /**
     * Size of an update that uses a version started ahead. A larger one writes its size to the log before the prepare, for its time-outs.
     */
    public static final long AHEAD_BYTES_MAX = 4 << 20;

    /** Requests that stay in the log when older ones move to the outcomes node. */
    public static final int TABLE_DECISIONS_RECENT_KEPT = 16;

    /** Requests in a transaction log, including those that participants have not logged yet. With more, no version starts. */
    public static final int TABLE_DECISIONS_MAX = 8_192;

    public static final int ATOMIC_BATCHES_PER_VERSION_MAX = 256;
    public static final int ATOMIC_UPDATES_WAITING_MAX = 4_096;

    /** Rows of the waiting updates per table at one transaction manager; staged rows count in {@link #STAGED_ROWS_BYTES_MAX} instead. */
    public static final long ATOMIC_UPDATES_WAITING_BYTES_MAX = 64L << 20;

    /** Rows of one update over all its actors; the rows of one actor are one entry of its log. */
    public static final long ATOMIC_UPDATE_BYTES_MAX = 128L << 20;

    /** Staged rows of one server, until they are prepared and committed. Each actor's rows count 4 KiB more. */
    public static final long STAGED_ROWS_BYTES_MAX = 256L << 20;

    /** Time without a request after which staged rows are dropped. */
    public static final long STAGED_ROWS_IDLE_MS = 120_000;

    /** Size of an atomic update above which its rows are staged at the primaries. */
    public static final long STAGED_FROM_BYTES = 256L << 10;

    /** Staged rows in one message, unless one actor has more. The limit bounds the time of a server's event loop for their hash. */
    public static final long STAGED_MESSAGE_BYTES = 4L << 20;

    /** Maximum age of the client's newest known version. If it is older, the client requests the version before its next update. */
    public static final long VERSION_RECENT_MS = 10_000;

    /** Tables in one snapshot: each has two nodes of the registry, which are read at least twice. */
    public static final int CUT_TABLES_MAX = 64;

    public static final int SNAPSHOTS_PER_ACTOR_MAX = 64;
    public static final long SNAPSHOT_HEAP_PERMILLE = 125;

    /** Part of the heap for the recent entries of all logs of a server. */
    public static final int LOG_CACHE_HEAP_DIVISOR = 16;

    public static final int VERSION_RESTARTS_MAX = 8;

    /** Restarts of a plan of several rounds with a newer snapshot. The pause before a restart doubles, up to the maximum. */
    public static final int PLAN_MOMENTS_MAX = 100;

    /** Duration of an attempt above which a plan has only as many restarts as a read, {@link #VERSION_RESTARTS_MAX}. */
    public static final long PLAN_MOMENT_LONG_MS = 1_000;

    public static final long PLAN_MOMENT_PAUSE_MS = 10;
    public static final long PLAN_MOMENT_PAUSE_MAX_MS = 500;

    /** Other tables with actors that a read uses on the same server. */
    public static final int BESIDE_TABLES_MAX = 16;

    /** One of this many queries reports its set of actors to a server. */
    public static final int SHARD_SET_SAMPLE = 8;

    public static final int SHARD_SET_ACTORS_MAX = 256;
    public static final int SHARD_SET_COUNTERS = 2_048;
    public static final int SHARD_SETS_TOLD_MAX = 200;

    /** Replicas that may move at the same time, moves in one result of a policy, and the maximum delay by a failed move. */
    public static final int REBALANCE_MOVES_MAX = 1_024;

    public static final int REBALANCE_PLAN_MOVES_MAX = 1_024;
    public static final long REBALANCE_PAUSE_MS_MAX = 600_000;

    /** Time for which the rebalancer does not move a replica after a manual move. */
    public static final long REBALANCE_BY_HAND_MS = 3_600_000;

    /** Decisions about new chunks that the leader remembers until the map has them. */
    public static final int CHUNK_DECISIONS_MAX = 65_536;

    /** Time after which an automatic copy that is not in sync yet is given up. */
    public static final long REBALANCE_COPY_MS_MAX = 3_600_000;

    /** Slots of a scatter: as many as the actors that a table may have. */
    public static final int SCATTER_SLOTS_MAX = ACTORS_PER_TABLE_MAX;

    /** Scatters of one plan, and their chunks in total; the chunk descriptions must fit into one request. */
    public static final int PLAN_SCATTERS_MAX = 16;

    public static final int PLAN_CHUNKS_MAX = 65_536;

    /** Chunk of one actor for one slot. Larger ones need more slots, or less data per row. */
    public static final int CHUNK_BYTES_MAX = 64 << 20;

    /** Chunks that a server keeps in memory, per query and for all queries; further chunks are in files. */
    public static final long EXCHANGE_QUERY_MEMORY_BYTES = 64L << 20;

    public static final long EXCHANGE_SERVER_MEMORY_BYTES = 256L << 20;

    /** Chunks that a server keeps in files, per query and for all queries. */
    public static final long EXCHANGE_QUERY_SPILL_BYTES_MAX = 16L << 30;

    public static final long EXCHANGE_SERVER_SPILL_BYTES_MAX = 64L << 30;

    /** Chunks of one user, in memory and in files each: at most this many times what then is free there. */
    public static final int EXCHANGE_USER_MULTIPLE_OF_FREE = 4;

    /** Chunks that a server receives at the same time, and the size of one requested piece. */
    public static final int EXCHANGE_IN_FLIGHT_BYTES = 16 << 20;

    public static final int EXCHANGE_PIECE_BYTES = 1 << 20;

    /** Chunks in one request for pieces. */
    public static final int EXCHANGE_PULL_PARTS_MAX = 256;

    public static final long EXCHANGE_PULL_TIMEOUT_MS = 5_000;
    public static final int EXCHANGE_PULL_ATTEMPTS = 3;

    /** Attempts of a plan's stages after lost chunks. */
    public static final int EXCHANGE_ATTEMPTS = 4;

    /** Further attempts if the snapshot of its scatters is lost: a replica has left the in-sync set, or the map has changed. */
    public static final int EXCHANGE_MOMENTS = 100;

    /** Pause before the second attempt of a plan. It doubles before each later one, up to the maximum. */
    public static final long EXCHANGE_PAUSE_MS = 100;

    public static final long EXCHANGE_PAUSE_MAX_MS = 1_000;

    /** Ended exchanges that are remembered, so that late chunks are rejected. */
    public static final int EXCHANGES_OVER_KEPT = 1_024;

    /** Tombstones in the registry. With more, those of the lowest numbers are removed. */
    public static final int TOMBSTONES_MAX = 10_000;

    /** Replicas of the trash in one report, oldest first. */
    public static final int TRASH_ENTRIES_TOLD_MAX = 10_000;

    /** Minimum time of a replica in the trash, however large the trash is, and after a start whatever the clock shows. */
    public static final long TRASH_KEPT_MS_MIN = 3_600_000;

    /** Default share of the disk for the trash, in percent. */
    public static final int TRASH_DISK_PERCENT = 20;

    /** Characters of one text in a line of the audit log: principal, address, action, object, reason, process. */
    public static final int AUDIT_TEXT_CHARS_MAX = 256;

    /** Bytes of a line of the audit log: six texts with six bytes per character, and the other fields. */
    public static final int AUDIT_LINE_BYTES_MAX = 16 << 10;

    /** Size at which a new file of the audit log starts. */
    public static final long AUDIT_FILE_BYTES_DEFAULT = 64L << 20;

    public static final long AUDIT_FILE_BYTES_MAX = 1L << 30;

    /** Files of the audit log; the oldest is deleted. */
    public static final int AUDIT_FILES_DEFAULT = 16;

    public static final int AUDIT_FILES_MAX = 10_000;

    /** Events that wait for the writer of the audit log, and events of one sync. */
    public static final int AUDIT_QUEUE_EVENTS_MAX = 4_096;

    public static final int AUDIT_BATCH_EVENTS_MAX = 1_024;

    /** Refusals of a caller per minute in the audit log; a further line has the number of the others. */
    public static final int AUDIT_REFUSALS_PER_MINUTE_MAX = 60;

    /** Callers whose refusals are counted apart; all others are counted as one. */
    public static final int AUDIT_REFUSED_CALLERS_MAX = 1_024;

    /** Connections to the HTTP listener of the metrics; with more, the one that has waited longest is closed. */
    public static final int HTTP_CONNECTIONS_MAX = 64;

    /** Time for a request to arrive there from the connection on, TLS handshake included, and for its answer to be read. */
    public static final long HTTP_REQUEST_MS_MAX = 10_000;

    /** Time after which a connection without a further request is closed there. */
    public static final long HTTP_IDLE_MS_MAX = 120_000;

    /** Line, headers and body of a request there. */
    public static final int HTTP_LINE_BYTES_MAX = 2 << 10;

    public static final int HTTP_HEADER_BYTES_MAX = 8 << 10;
    public static final int HTTP_BODY_BYTES_MAX = 1 << 10;

    private Limits() {}
}
