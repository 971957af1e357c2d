package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a replica's engine is built: from the newest checkpoint that lies on the log, or an older one where that fails again and
 * again, or from nothing where the log begins at its beginning, else from durable storage.
 */
final class EngineRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(EngineRecovery.class);
    /** Failed attempts at a checkpoint after which an older one is tried. */
    private static final int STRIKES_MAX = 3;

    private final Environment env;
    private final ReplicaKey key;
    private final TableMeta meta;
    private final ReplicaLog log;
    private final Checkpoints checkpoints;
    private final CheckpointSource storage;
    private final EngineListener listener;
    private final Owner owner;
    private final Map<Checkpoints.Name, Integer> strikes = new LinkedHashMap<>();
    private boolean fetching;

    /** Whose engine it is; it is told when a call of the engine or of the disk is under way. */
    interface Owner {
        /** A call begins. */
        void begin();

        /** It has ended. */
        void end();

        /** True when its result no longer counts. */
        boolean interrupted();

        /** The engine is there, and holds what the log says up to this index. */
        void up(long index, RequestTable saved);

        /** It could not be built now. */
        void failed(UniserveException error);
    }

    EngineRecovery(
            Environment env,
            ReplicaKey key,
            TableMeta meta,
            ReplicaLog log,
            Checkpoints checkpoints,
            CheckpointSource storage,
            EngineListener listener,
            Owner owner) {
        this.env = env;
        this.key = key;
        this.meta = meta;
        this.log = log;
        this.checkpoints = checkpoints;
        this.storage = storage;
        this.listener = listener;
        this.owner = owner;
    }

    /** True while a checkpoint comes from durable storage, which may take long. */
    boolean fetching() {
        return fetching;
    }

    void run() {
        owner.begin();
        checkpoints.list(listed -> {
            owner.end();
            if (listed instanceof Outcome.Ok<List<Checkpoints.Name>> ok) {
                choose(ok.value(), 0);
            } else {
                owner.failed(listed.error());
            }
        });
    }

    private void choose(List<Checkpoints.Name> names, int at) {
        if (owner.interrupted()) {
            return;
        }
        if (at == names.size()) {
            create();
            return;
        }
        Checkpoints.Name name = names.get(at);
        if (log.epochAt(name.index()) != name.epoch() || name.index() > log.durableIndex()) {
            checkpoints.delete(name);
            choose(names, at + 1);
            return;
        }
        if (strikes.getOrDefault(name, 0) >= STRIKES_MAX) {
            LOG.warn("{}: checkpoint {} is passed over, an older one or the log is used", key, name);
            choose(names, at + 1);
            return;
        }
        owner.begin();
        checkpoints.manifest(name, read -> {
            if (!(read instanceof Outcome.Ok<Optional<RequestTable>> ok)) {
                owner.end();
                refused(name, read.error(), names, at);
            } else if (ok.value().isEmpty()) {
                owner.end();
                checkpoints.delete(name); // never finished
                choose(names, at + 1);
            } else {
                RequestTable saved = ok.value().get();
                env.engine()
                        .restore(
                                key,
                                meta,
                                checkpoints.dataPath(name),
                                saved.versions().committed(),
                                restored -> restored(restored, name, saved, names, at));
            }
        });
    }

    /**
     * Only proven damage takes a checkpoint away, and then it is kept aside. Any other error says nothing against it: it is
     * tried again later, and passed over for this life when that goes on.
     */
    private void refused(Checkpoints.Name name, UniserveException error, List<Checkpoints.Name> names, int at) {
        LOG.warn("{}: checkpoint {} cannot be restored: {}", key, name, error.getMessage());
        if (owner.interrupted()) {
            return;
        }
        if (error.code() == ErrorCode.CORRUPT) {
            String place = "quarantine/" + key + "-checkpoint-"
                    + Long.toHexString(env.ids().next());
            owner.begin();
            checkpoints.setAside(name, place, moved -> {
                owner.end();
                if (moved instanceof Outcome.Err<Done>) {
                    strikes.put(name, STRIKES_MAX);
                }
                choose(names, at + 1);
            });
            return;
        }
        if (error.code() != ErrorCode.DISK_FULL && error.code() != ErrorCode.UNAVAILABLE) {
            strikes.merge(name, 1, Integer::sum);
        }
        owner.failed(error);
    }

    private void restored(
            Outcome<Done> restored, Checkpoints.Name name, RequestTable saved, List<Checkpoints.Name> names, int at) {
        owner.end();
        if (restored instanceof Outcome.Err<Done> err) {
            refused(name, err.error(), names, at);
        } else {
            owner.up(name.index(), saved);
        }
    }

    private void create() {
        if (log.baseIndex() > 0) {
            uncovered();
            return;
        }
        owner.begin();
        env.engine().create(key, meta, created -> {
            owner.end();
            if (created instanceof Outcome.Err<Done> err) {
                owner.failed(err.error());
            } else {
                owner.up(0, new RequestTable());
            }
        });
    }

    /** Nothing here holds what came before the log. Where checkpoints were only passed over, they get another chance first. */
    private void uncovered() {
        if (!strikes.isEmpty()) {
            strikes.clear();
            owner.failed(new UniserveException(
                    ErrorCode.IO, "no checkpoint that covers the log before " + log.baseIndex() + " can be restored"));
            return;
        }
        listener.unfit("its checkpoint is damaged and is fetched from durable storage");
        owner.begin();
        fetching = true;
        storage.fetch(fetched -> {
            owner.end();
            fetching = false;
            if (owner.interrupted()) {
                return;
            }
            if (fetched instanceof Outcome.Ok<Checkpoints.Name> ok) {
                choose(List.of(ok.value()), 0);
                return;
            }
            UniserveException error = fetched.error();
            owner.failed(error);
            if (error.code() == ErrorCode.CORRUPT) {
                listener.lost(error.reason());
            }
        });
    }
}
