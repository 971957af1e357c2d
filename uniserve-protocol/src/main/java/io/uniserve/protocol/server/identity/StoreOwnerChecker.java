package io.uniserve.protocol.server.identity;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.identity.OwnerCheckingObjectStore;
import io.uniserve.protocol.server.config.ServerConfig;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owner check of a cluster's part of durable storage. The owner is an object with the identity of the cluster of that name. The check
 * precedes every other access, so two clusters of one name never share a store. A store without an owner is claimed if it is empty, or if
 * this registry has assigned all its table numbers. A store with another owner is taken over only at an operator's request.
 */
final class StoreOwnerChecker {
    private static final Logger LOG = LoggerFactory.getLogger(StoreOwnerChecker.class);
    private static final Pattern KEYS = Pattern.compile("[a-z0-9.-]+");
    private static final int RETRIES_PER_LOOK = 10;

    private final Environment env;
    private final OwnerCheckingObjectStore guarded;
    private final ObjectStore objects;
    private final ServerConfig config;
    private final String identity;
    private final Consumer<UniserveException> refused;
    private Runnable then;
    private boolean stopped;

    /** @param then runs once, when the owner is confirmed as this cluster or storage does not answer for now */
    StoreOwnerChecker(
            Environment env,
            OwnerCheckingObjectStore guarded,
            ServerConfig config,
            String identity,
            Runnable then,
            Consumer<UniserveException> refused) {
        this.env = env;
        this.guarded = guarded;
        this.objects = guarded.unchecked();
        this.config = config;
        this.identity = identity;
        this.then = then;
        this.refused = refused;
    }

    /** The owner object of the cluster of this name. */
    static String key(String cluster) {
        return "owner/" + cluster;
    }

    void stop() {
        stopped = true;
    }

    /** Checks the owner, and retries until storage answers. Meanwhile the server serves without storage. */
    void check() {
        String cluster = config.clusterId();
        if (config.replicas().shippingNanos() == 0 || !KEYS.matcher(cluster).matches()) {
            guarded.open(); // no durable storage, or none that accepts objects of this name
            continueStart();
            return;
        }
        String key = key(cluster);
        objects.list(key, listed -> {
            if (stopped) {
                return;
            }
            if (!(listed instanceof Outcome.Ok<List<String>> ok)) {
                retryLater("cannot be listed", listed);
            } else if (ok.value().contains(key)) {
                read(key);
            } else {
                readNext();
            }
        });
    }

    private void read(String key) {
        objects.get(key, read -> {
            if (stopped) {
                return;
            }
            if (!(read instanceof Outcome.Ok<Bytes> ok)) {
                if (read.error().code() == ErrorCode.CORRUPT) {
                    refuse("its owner object " + key + " is damaged: restore it");
                } else {
                    retryLater("owner cannot be read", read);
                }
                return;
            }
            String owner;
            try {
                owner = decode(key, ok.value());
            } catch (UniserveException e) {
                refused.accept(e);
                return;
            }
            if (owner.equals(identity)) {
                onOwned();
            } else if (config.takeOverStore()) {
                LOG.warn(
                        "durable storage: owner changes from cluster {} with identity {} to identity {}, by"
                                + " storage.take-over; no process of the former owner may still run",
                        config.clusterId(),
                        owner,
                        identity);
                objects.delete(key, deleted -> {
                    if (deleted instanceof Outcome.Ok<Done>) {
                        claim();
                    } else {
                        retryLater("owner cannot be replaced", deleted);
                    }
                });
            } else {
                refuse("it belongs to cluster " + config.clusterId() + " with identity " + owner);
            }
        });
    }

    /** Checks a store without an owner: it is new, or from an earlier version. */
    private void readNext() {
        env.registry().read(RegistryPaths.CLUSTER, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof ClusterRecord record) {
                checkPrefix(
                        StoredTableDefinition.root(config.clusterId()),
                        record.nextTableId(),
                        () -> checkPrefix("backup/" + config.clusterId() + "/", record.nextTableId(), this::claim));
            } else {
                retryLater("the cluster's record cannot be read", read);
            }
        });
    }

    private void checkPrefix(String prefix, long nextTableId, Runnable then) {
        objects.list(prefix, listed -> {
            if (stopped) {
                return;
            }
            if (!(listed instanceof Outcome.Ok<List<String>> ok)) {
                retryLater("cannot be listed", listed);
                return;
            }
            long largest = StoredTableDefinition.largestTableId(ok.value(), prefix);
            if (largest < nextTableId) {
                then.run();
            } else if (config.takeOverStore()) {
                LOG.warn(
                        "durable storage: cluster {} with identity {} takes over objects of table {} and others of a"
                                + " cluster of that name, by storage.take-over",
                        config.clusterId(),
                        identity,
                        largest);
                claim();
            } else {
                refuse("it has no owner, but objects of table " + largest
                        + ", which this cluster did not create: its next table has number " + nextTableId);
            }
        });
    }

    private void claim() {
        objects.put(key(config.clusterId()), IdentityFile.encode(config.clusterId(), identity), put -> {
            if (put instanceof Outcome.Ok<Done>) {
                onOwned();
            } else {
                retryLater("owner cannot be written", put); // another server may have been first
            }
        });
    }

    private void onOwned() {
        if (!stopped) {
            guarded.open(this::checkAgain);
            continueStart();
        }
    }

    /** Reads the owner again while the server runs. */
    private void checkAgain(Completion<Done> completion) {
        String key = key(config.clusterId());
        objects.list(key, listed -> {
            if (!(listed instanceof Outcome.Ok<List<String>> ok)) {
                completion.done(Outcome.err(listed.error()));
            } else if (!ok.value().contains(key)) {
                completion.done(Outcome.err(refusal("its owner object " + key
                        + " is gone: it was emptied, or another directory is in its place. Restore its contents,"
                        + " then backups continue")));
            } else {
                objects.get(key, read -> completion.done(checkOwner(key, read)));
            }
        });
    }

    private Outcome<Done> checkOwner(String key, Outcome<Bytes> read) {
        if (read instanceof Outcome.Err<Bytes> err) {
            return Outcome.err(
                    err.error().code() == ErrorCode.CORRUPT
                            ? refusal("its owner object " + key + " is damaged: restore it")
                            : err.error());
        }
        try {
            String owner = decode(key, read.value());
            return owner.equals(identity)
                    ? Outcome.ok(Done.DONE)
                    : Outcome.err(refusal("another cluster has taken it over: it belongs to cluster "
                            + config.clusterId() + " with identity " + owner + " now"));
        } catch (UniserveException e) {
            return Outcome.err(new UniserveException(ErrorCode.WRONG_CLUSTER, e.reason(), e));
        }
    }

    private String decode(String key, Bytes data) {
        return IdentityFile.decode("object " + key + " in durable storage", data, config.clusterId());
    }

    private void continueStart() {
        Runnable task = then;
        then = () -> {};
        task.run();
    }

    private void refuse(String why) {
        refused.accept(refusal(why));
    }

    private UniserveException refusal(String why) {
        return new UniserveException(
                ErrorCode.WRONG_CLUSTER,
                config.self() + " of cluster " + config.clusterId() + " with identity " + identity
                        + " may not use this durable storage (storage.location): " + why
                        + ". Nothing was read, changed or deleted. Give each cluster a directory of its own; if this"
                        + " cluster replaces one that is lost, end every process of that one, and start a server with"
                        + " storage.take-over = true (--take-over-store)");
    }

    private void retryLater(String what, Outcome<?> outcome) {
        if (stopped) {
            return;
        }
        String why = outcome instanceof Outcome.Err<?> err ? err.error().getMessage() : "absent";
        LOG.warn("{}: durable storage not in use yet, {}: {}", config.self(), what, why);
        env.timers().after(RETRIES_PER_LOOK * config.replicas().retryNanos(), () -> {
            if (!stopped) {
                check();
            }
        });
        continueStart();
    }
}
