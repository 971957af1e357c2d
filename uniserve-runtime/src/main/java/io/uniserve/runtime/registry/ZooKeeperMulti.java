package io.uniserve.runtime.registry;

import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * One multi. If parents are missing, it creates them and sends the multi again. Parents have no value. It removes parents that
 * deletions leave empty, so that a name without anything below it is not listed as a child.
 */
final class ZooKeeperMulti {
    private static final int ATTEMPTS = 4;
    private static final byte[] NO_VALUE = {};

    private final String root;
    private final List<Op> ops;
    private final List<byte[]> values;
    private int attempts;

    /** Encodes the values. Fails with TOO_LARGE; with INVALID_ARGUMENT for a version that means any version to ZooKeeper. */
    ZooKeeperMulti(String root, List<Op> ops) {
        this.root = root;
        this.ops = List.copyOf(ops);
        this.values = this.ops.stream().map(ZooKeeperMulti::value).toList();
        RegistryArgumentValidator.checkOperations(this.ops, values);
    }

    private static byte[] value(Op op) {
        if (op instanceof Op.Create create) {
            return ZnodeCodec.encode(op.path(), create.value());
        }
        return op instanceof Op.Set set ? ZnodeCodec.encode(op.path(), set.value()) : NO_VALUE;
    }

    void send(ZooKeeperHandle zooKeeperHandle, PendingCall<MultiResult> call) {
        attempts++;
        List<org.apache.zookeeper.Op> requests = new ArrayList<>();
        for (int i = 0; i < ops.size(); i++) {
            requests.add(request(zooKeeperHandle, ops.get(i), values.get(i)));
        }
        zooKeeperHandle
                .client()
                .multi(
                        requests,
                        (rc, path, context, results) -> onReply(zooKeeperHandle, call, Code.get(rc), results),
                        null);
    }

    private org.apache.zookeeper.Op request(ZooKeeperHandle zooKeeperHandle, Op op, byte[] value) {
        String path = root + op.path();
        if (op instanceof Op.Create create) {
            CreateMode mode = create.ephemeral() ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
            return org.apache.zookeeper.Op.create(path, value, zooKeeperHandle.acl(path), mode);
        }
        if (op instanceof Op.Set set) {
            return org.apache.zookeeper.Op.setData(path, value, set.version());
        }
        return op instanceof Op.Delete delete
                ? org.apache.zookeeper.Op.delete(path, delete.version())
                : org.apache.zookeeper.Op.check(path, ((Op.Check) op).version());
    }

    private void onReply(
            ZooKeeperHandle zooKeeperHandle,
            PendingCall<MultiResult> call,
            @Nullable Code code,
            @Nullable List<OpResult> results) {
        if (code == Code.OK && results != null) {
            MultiResult applied = new MultiResult(
                    true, results.stream().map(ZooKeeperMulti::version).toList(), -1);
            removeEmptyParents(zooKeeperHandle, () -> call.succeed(applied));
            return;
        }
        int conflict = failedIndex(results);
        if (conflict < 0) {
            call.fail(code == null ? Code.SYSTEMERROR : code, true);
        } else if (ops.get(conflict) instanceof Op.Create && code == Code.NONODE && attempts < ATTEMPTS) {
            makeParents(zooKeeperHandle, call);
        } else if (code == Code.BADVERSION || code == Code.NODEEXISTS || code == Code.NONODE || code == Code.NOTEMPTY) {
            call.succeed(new MultiResult(false, List.of(), conflict));
        } else {
            call.fail(code == null ? Code.SYSTEMERROR : code, false);
        }
    }

    private static int version(OpResult result) {
        if (result instanceof OpResult.SetDataResult set) {
            return set.getStat().getVersion();
        }
        return result instanceof OpResult.CreateResult ? 0 : Registry.ABSENT;
    }

    /** Index of the operation that failed the multi, -1 if none did. */
    private static int failedIndex(@Nullable List<OpResult> results) {
        for (int i = 0; results != null && i < results.size(); i++) {
            if (results.get(i) instanceof OpResult.ErrorResult error
                    && error.getErr() != Code.OK.intValue()
                    && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue()) {
                return i;
            }
        }
        return -1;
    }

    /** Creates the ancestors of all nodes to create, and sends the multi again, which had no effect. */
    private void makeParents(ZooKeeperHandle zooKeeperHandle, PendingCall<MultiResult> call) {
        TreeSet<String> parents = new TreeSet<>();
        TreeSet<String> created = new TreeSet<>();
        for (Op op : ops) {
            if (op instanceof Op.Create) {
                created.add(root + op.path());
                parents.addAll(RegistryArgumentValidator.ancestors(root + op.path()));
            }
        }
        parents.removeAll(created);
        AtomicInteger left = new AtomicInteger(parents.size());
        AtomicReference<@Nullable Code> failure = new AtomicReference<>();
        for (String parent : parents) {
            zooKeeperHandle
                    .client()
                    .create(
                            parent,
                            NO_VALUE,
                            zooKeeperHandle.acl(parent),
                            CreateMode.PERSISTENT,
                            (rc, path, context, name) -> {
                                Code code = Code.get(rc);
                                // Where only others may write to /, the shared folder exists before the first cluster.
                                boolean made = code == Code.NOAUTH && attempts == 1 && ZooKeeperHandle.isShared(parent);
                                if (code != Code.OK && code != Code.NODEEXISTS && !made) {
                                    failure.compareAndSet(null, code == null ? Code.SYSTEMERROR : code);
                                }
                                if (left.decrementAndGet() == 0) {
                                    Code failed = failure.get();
                                    if (failed == null || failed == Code.NONODE) {
                                        send(zooKeeperHandle, call);
                                    } else {
                                        call.fail(failed, false);
                                    }
                                }
                            },
                            null);
        }
    }

    private void removeEmptyParents(ZooKeeperHandle zooKeeperHandle, Runnable then) {
        TreeSet<String> parents = new TreeSet<>();
        for (Op op : ops) {
            if (op instanceof Op.Delete) {
                RegistryArgumentValidator.ancestors(op.path()).forEach(parents::add);
            }
        }
        new EmptyParentCleaner(zooKeeperHandle, root, parents.descendingSet().iterator(), then).deleteNext();
    }
}
