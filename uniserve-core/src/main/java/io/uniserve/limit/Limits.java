package io.uniserve.limit;

/** Every limit of the system. Sizes in bytes, durations in the unit of the name. Each is asserted where input enters. */
public final class Limits {
    public static final int NAME_LENGTH_MAX = 64;
    public static final int ACTORS_PER_TABLE_MAX = 4096;
    public static final int TABLES_MAX = 1024;
    public static final int REPLICATION_FACTOR_MAX = 16;
    public static final int CONFIG_FILE_BYTES_MAX = 1 << 20;
    public static final int TABLE_OPTIONS_MAX = 64;
    public static final int TABLE_OPTION_BYTES_MAX = 131_072;
    public static final int PACKED_FILES_BYTES_MAX = 4 << 20;
    public static final int KEY_BYTES_MAX = 4_096;
    public static final int ROW_BYTES_MAX = 8 << 20;

    /** A row as a file writes it that is loaded: a line, a record of CSV, a document or a command of JSON or XML. */
    public static final int ROW_TEXT_CHARS_MAX = ROW_BYTES_MAX;

    /** Values of such a row, those in lists and maps among them. */
    public static final int ROW_TEXT_VALUES_MAX = 1 << 20;

    /** Columns of a CSV file. */
    public static final int CSV_COLUMNS_MAX = 1 << 14;

    public static final int BATCH_ROWS_MAX = 200_000;
    public static final int BATCH_BYTES_MAX = 24 << 20;
    public static final int MESSAGE_BYTES_MAX = 32 << 20;
    public static final int PARAMETER_BYTES_MAX = 8 << 20;
    public static final int QUERY_TEXT_CHARS_MAX = 1 << 18;
    public static final int QUERY_WINDOW_ROWS_MAX = 100_000;

    /** Pairs of brackets within each other, in a query of an engine whose parser recurses. */
    public static final int QUERY_NESTING_MAX = 500;

    /** Clauses of a boolean query, unless the table allows more. */
    public static final int QUERY_CLAUSES_DEFAULT = 1_024;

    /** Clauses that a table may allow. */
    public static final int QUERY_CLAUSES_MAX = 65_536;

    public static final int RESULT_BYTES_PER_ACTOR_MAX = 16 << 20;
    public static final int RESULT_BYTES_PER_REPLY_MAX = 28 << 20;
    public static final int RESULT_BYTES_PER_QUERY_MAX = 128 << 20;
    public static final int DOCUMENT_FIELDS_MAX = 4_096;
    public static final int DOCUMENT_DEPTH_MAX = 16;
    public static final int LOG_ENTRY_BYTES_MAX = 26 << 20;
    public static final int LOG_SEGMENT_BYTES = 64 << 20;
    public static final long LOG_BYTES_PER_ACTOR_MAX_DEFAULT = 4L << 30;
    /** Newest bytes of an actor's log that stay when the rest is dropped. */
    public static final long LOG_RETAIN_BYTES_DEFAULT = 256L << 20;
    /** A learner under way holds the log until it has this part of the most it may have: 2 for a half. */
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

    /** Actors that one write of the registry can put in the place of others. */
    public static final int RESTORE_TABLE_ACTORS_MAX = 1_024;

    /** Versions in the stored log of one actor after its stored checkpoint, which a restoration compares. */
    public static final int SURVEY_VERSIONS_MAX = 1_000_000;

    /** Actors of a backup that are worked on at a time. */
    public static final int BACKUP_ACTORS_AT_ONCE = 8;

    /** One actor's part in a backup: all its objects are read. */
    public static final long BACKUP_ACTOR_MS_MAX = 1_800_000;

    /** The primary ends a comparison of an actor's copies after this time: a copy without a digest by then is unknown. */
    public static final long COPIES_COMPARED_MS_MAX = 1_800_000;

    /** The coordinator waits for a comparison so much longer than the primary takes at most, for the way and for slow clocks. */
    public static final long COPIES_COMPARED_MARGIN_MS = 180_000;

    public static final long DISK_STALL_MS_MAX = 10_000;

    /** A write to durable storage without an answer for so long counts as failing. */
    public static final long STORE_STALL_MS_MAX = 30_000;

    /** A server asks durable storage for its owner this often, and again before it reads or writes there after a longer pause. */
    public static final long STORE_OWNER_CHECK_MS = 60_000;

    /** So old may the owner be that was read last, for a deletion and for a backup of a table. */
    public static final long STORE_OWNER_FRESH_MS = 1_000;

    /** Durable storage of another owner is asked again after this time. */
    public static final long STORE_OWNER_RECHECK_MS = 5_000;

    /** Problems in one daemon's report. */
    public static final int PROBLEMS_TOLD_MAX = 64;

    public static final int PROBLEM_TEXT_CHARS_MAX = 1_024;

    /** A registry that stays lost is logged again after this time. */
    public static final long REGISTRY_LOSS_LOG_MS = 30_000;

    /** A registry that stays lost is looked at over a new connection after this time: it may have lost its data. */
    public static final long REGISTRY_LOSS_CHECK_MS = 5_000;

    /** Time between such looks. */
    public static final long REGISTRY_LOSS_RECHECK_MS = 15_000;

    public static final long TAKEOVER_RETRY_MS_MIN = 5_000;
    public static final long TAKEOVER_RETRY_MS_MAX = 300_000;
    public static final long RESTORE_RETRY_MS_MIN = 1_000;
    public static final long RESTORE_RETRY_MS_MAX = 30_000;
    public static final int PENDING_UPDATES_PER_ACTOR_MAX = 4_096;
    public static final long PENDING_UPDATE_BYTES_PER_ACTOR_MAX = 64L << 20;

    /** Updates that wait at a server until a primary that moves or begins is ready. */
    public static final int UPDATES_HELD_PER_ACTOR_MAX = 256;

    public static final long UPDATE_BYTES_HELD_PER_ACTOR_MAX = 24L << 20;
    public static final long UPDATE_HELD_MS_MAX = 1_000;
    public static final int REQUEST_CLIENTS_PER_ACTOR_MAX = 4_096;
    public static final int REQUESTS_PER_CLIENT_MAX = 1_024;
    public static final int QUERY_ATTEMPTS_PER_ACTOR_MAX = 16;
    public static final int SESSION_SNAPSHOTS_PER_SERVER_MAX = 1_024;
    public static final int SESSION_SNAPSHOTS_PER_ACTOR_MAX = 64;
    public static final int SESSION_RESTARTS_MAX = 3;
    public static final int PLANNING_TABLES_MAX = 256;
    public static final int UPDATE_ATTEMPTS_PER_ACTOR_MAX = 64;
    public static final long DEADLINE_MS_MAX = 3_600_000;

    /** A read or plan that runs for longer has another thread take its place. */
    public static final long LONG_TASK_MS = 50;

    /** Threads of one pool in the places of others. */
    public static final int SPARE_THREADS_MAX = 64;

    /** Of what a server takes at once, what one client may have: three quarters. */
    public static final int CLIENT_SHARE_PERCENT = 75;

    public static final int CLIENT_NAME_CHARS_MAX = 128;

    /** A daemon that was told to stop has ended after this time, beside its draining and its grace, or is halted. */
    public static final long STOP_MS_MAX = 30_000;

    public static final int SERVERS_MAX = 1_024;
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

    /** Of one table, requests whose outcome retries are told. */
    public static final int TABLE_DECISIONS_KEPT = 1_024;

    /** Requests that participants all know, in a table's log: with one more the older of them move to its outcomes. */
    public static final int TABLE_DECISIONS_RECENT_MAX = 64;

    /** A table's log with more decisions is not told to servers: they read it. */
    public static final int TOLD_DECISIONS_MAX = 256;

    /** Nor is one that names more requests and actors than this. */
    public static final int TOLD_ENTRIES_MAX = 512;

    /** Drivers begin no version ahead in tables of more actors: where another driver aborts it all of them have to hear of it. */
    public static final int AHEAD_ACTORS_MAX = 256;

    /** Nor while so many such aborts wait for an actor that is away. */
    public static final int AHEAD_ABORTS_MAX = 8;

    /** Updates of more bytes are named before they are prepared, so that others know how long they may take. */
    public static final long AHEAD_BYTES_MAX = 4 << 20;

    /** The newest of them stay. */
    public static final int TABLE_DECISIONS_RECENT_KEPT = 16;

    /** Decisions in one node of the registry, and requests for which a table's participants may be behind. */
    public static final int TABLE_DECISIONS_MAX = 8_192;

    public static final int ATOMIC_BATCHES_PER_VERSION_MAX = 256;
    public static final int ATOMIC_UPDATES_WAITING_MAX = 4_096;

    /** Of one table's updates at one driver; rows that were staged at primaries are in {@link #STAGED_ROWS_BYTES_MAX} instead. */
    public static final long ATOMIC_UPDATES_WAITING_BYTES_MAX = 64L << 20;

    /** Of one update of all its actors; what an actor gets is one entry of its log. */
    public static final long ATOMIC_UPDATE_BYTES_MAX = 128L << 20;

    /** Rows of large atomic updates that one server keeps until they are prepared and committed; an actor's count 4 KiB besides. */
    public static final long STAGED_ROWS_BYTES_MAX = 256L << 20;

    /** Staged rows that nobody asks for are let go after this time. */
    public static final long STAGED_ROWS_IDLE_MS = 120_000;

    /** Rows of a larger atomic update go to the primaries of its actors by themselves. */
    public static final long STAGED_FROM_BYTES = 256L << 10;

    /** Rows that are staged with one message, or one actor's: a server hashes them between other things. */
    public static final long STAGED_MESSAGE_BYTES = 4L << 20;

    /** A client that was told of a table's version longer ago asks for it before its next update. */
    public static final long VERSION_RECENT_MS = 10_000;

    /** Tables that are read as of one moment: each is two nodes of the registry, read twice at least. */
    public static final int CUT_TABLES_MAX = 64;

    public static final int SNAPSHOTS_PER_ACTOR_MAX = 64;
    public static final long SNAPSHOT_HEAP_PERMILLE = 125;
    public static final int VERSION_RESTARTS_MAX = 8;

    /** How often a plan of rounds of one moment begins anew with a newer one; before the second, then twice as long, up to the longest. */
    public static final int PLAN_MOMENTS_MAX = 100;

    /** One whose attempt took longer begins anew only as often as a read. */
    public static final long PLAN_MOMENT_LONG_MS = 1_000;

    public static final long PLAN_MOMENT_PAUSE_MS = 10;
    public static final long PLAN_MOMENT_PAUSE_MAX_MS = 500;

    /** Other tables whose actors a read finds beside its own. */
    public static final int BESIDE_TABLES_MAX = 16;

    /** Of every so many queries one tells a server which actors it asks together. */
    public static final int SHARD_SET_SAMPLE = 8;

    public static final int SHARD_SET_ACTORS_MAX = 256;
    public static final int SHARD_SET_COUNTERS = 2_048;
    public static final int SHARD_SETS_TOLD_MAX = 200;

    /** Replicas that may move by themselves at once; moves in one answer of a policy; how long a move that failed may hold up others. */
    public static final int REBALANCE_MOVES_MAX = 1_024;

    public static final int REBALANCE_PLAN_MOVES_MAX = 1_024;
    public static final long REBALANCE_PAUSE_MS_MAX = 600_000;

    /** How long a replica that was moved by hand stays where it was put. */
    public static final long REBALANCE_BY_HAND_MS = 3_600_000;

    /** Slots of a scatter: as many as a table may have actors. */
    public static final int SCATTER_SLOTS_MAX = ACTORS_PER_TABLE_MAX;

    /** Scatters of one plan; chunks that they may make together, so that what is known of each fits into a request. */
    public static final int PLAN_SCATTERS_MAX = 16;

    public static final int PLAN_CHUNKS_MAX = 65_536;

    /** Of one actor for one slot; larger ones need more slots, or less per row. */
    public static final int CHUNK_BYTES_MAX = 64 << 20;

    /** Chunks of a query that a server keeps in memory, and those of all queries together; the rest is in files. */
    public static final long EXCHANGE_QUERY_MEMORY_BYTES = 64L << 20;

    public static final long EXCHANGE_SERVER_MEMORY_BYTES = 256L << 20;

    /** Chunks of a query that a server keeps in files, and those of all queries together. */
    public static final long EXCHANGE_QUERY_SPILL_BYTES_MAX = 16L << 30;

    public static final long EXCHANGE_SERVER_SPILL_BYTES_MAX = 64L << 30;

    /** Chunks that a server is receiving; pieces of them that it asks for. */
    public static final int EXCHANGE_IN_FLIGHT_BYTES = 16 << 20;

    public static final int EXCHANGE_PIECE_BYTES = 1 << 20;

    /** Chunks of which one message asks for a part. */
    public static final int EXCHANGE_PULL_PARTS_MAX = 256;

    public static final long EXCHANGE_PULL_TIMEOUT_MS = 5_000;
    public static final int EXCHANGE_PULL_ATTEMPTS = 3;

    /** How often the stages of a plan are run when something that was scattered is lost. */
    public static final int EXCHANGE_ATTEMPTS = 4;

    /** How often, beside, when the moment is gone that its scatters saw: a replica fell out of sync, or the map moved. */
    public static final int EXCHANGE_MOMENTS = 100;

    /** Before the second attempt of a plan; twice as long before each later one, up to the longest. */
    public static final long EXCHANGE_PAUSE_MS = 100;

    public static final long EXCHANGE_PAUSE_MAX_MS = 1_000;

    /** Exchanges that are over and whose late chunks are refused. */
    public static final int EXCHANGES_OVER_KEPT = 1_024;

    /** Tombstones of tables that the registry keeps: beyond that those of the lowest numbers go. */
    public static final int TOMBSTONES_MAX = 10_000;

    /** Replicas in the trash that one answer tells of, oldest first. */
    public static final int TRASH_ENTRIES_TOLD_MAX = 10_000;

    /** A replica stays in the trash for so long however large the trash is, and after a start whatever the wall clock says. */
    public static final long TRASH_KEPT_MS_MIN = 3_600_000;

    /** Of the disk: what the trash may take where the configuration does not say it. */
    public static final int TRASH_DISK_PERCENT = 20;

    private Limits() {}
}
