package io.uniserve.runtime.registry.access;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Walk over a folder's nodes and their access lists, parents before children. Nodes that vanish meanwhile do not count. Blocks; for one
 * thread.
 *
 * <p>A parent's list is set before its children are listed. After that only the owner makes children, so none is missed.
 */
final class AccessListWalker {
    private static final int BATCH = 512;
    private static final int WRITE = Perms.WRITE | Perms.CREATE | Perms.DELETE | Perms.ADMIN;

    private final ZooKeeper client;
    private final ZooKeeperIdentity identity;
    private final @Nullable List<ACL> target;
    private final IntConsumer progress;

    private int nodes;
    private int changed;
    private int open;
    private int foreign;
    private @Nullable String firstOpen;
    private @Nullable String firstForeign;

    private AccessListWalker(
            ZooKeeper client, ZooKeeperIdentity identity, @Nullable List<ACL> target, IntConsumer progress) {
        this.client = client;
        this.identity = identity;
        this.target = target;
        this.progress = progress;
    }

    /** Compares the lists of all nodes with the identity. */
    static AccessReport check(ZooKeeper client, String root, ZooKeeperIdentity identity)
            throws KeeperException, InterruptedException {
        return new AccessListWalker(client, identity, null, count -> {}).walk(root);
    }

    /**
     * Sets the lists of all nodes. A repeated call continues after an interrupted one.
     *
     * @param progress receives the number of nodes so far, after each batch
     */
    static AccessReport set(
            ZooKeeper client, String root, ZooKeeperIdentity identity, List<ACL> target, IntConsumer progress)
            throws KeeperException, InterruptedException {
        return new AccessListWalker(client, identity, target, progress).walk(root);
    }

    private AccessReport walk(String root) throws KeeperException, InterruptedException {
        Deque<String> next = new ArrayDeque<>(List.of(root));
        while (!next.isEmpty()) {
            List<CompletableFuture<List<String>>> batch = new ArrayList<>();
            while (!next.isEmpty() && batch.size() < BATCH) {
                batch.add(visit(next.remove()));
            }
            for (CompletableFuture<List<String>> node : batch) {
                next.addAll(get(node));
            }
            progress.accept(visited());
        }
        return report();
    }

    private synchronized int visited() {
        return nodes;
    }

    private synchronized AccessReport report() {
        return new AccessReport(
                nodes, changed, open, foreign, Optional.ofNullable(firstOpen), Optional.ofNullable(firstForeign));
    }

    private static List<String> get(CompletableFuture<List<String>> node) throws KeeperException, InterruptedException {
        try {
            return node.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KeeperException failure) {
                throw failure;
            }
            throw new IllegalStateException("visit of a node failed", e);
        }
    }

    /** Reads the node's list, sets it if there is a target, and returns the paths of its children. */
    private CompletableFuture<List<String>> visit(String path) {
        CompletableFuture<List<String>> done = new CompletableFuture<>();
        client.getACL(
                path,
                new Stat(),
                (rc, name, context, list, stat) -> {
                    Code code = Code.get(rc);
                    if (code != Code.OK) {
                        end(path, code, done);
                    } else if (target == null) {
                        judge(path, list);
                        children(path, done);
                    } else if (list.equals(target)) {
                        count(false);
                        children(path, done);
                    } else {
                        set(path, target, done);
                    }
                },
                null);
        return done;
    }

    private void set(String path, List<ACL> list, CompletableFuture<List<String>> done) {
        client.setACL(
                path,
                list,
                -1,
                (rc, name, context, stat) -> {
                    Code code = Code.get(rc);
                    if (code == Code.OK) {
                        count(true);
                        children(path, done);
                    } else {
                        end(path, code, done);
                    }
                },
                null);
    }

    private void children(String path, CompletableFuture<List<String>> done) {
        client.getChildren(
                path,
                false,
                (rc, name, context, names) -> {
                    Code code = Code.get(rc);
                    if (code == Code.OK) {
                        done.complete(names.stream()
                                .sorted()
                                .map(child -> path + "/" + child)
                                .toList());
                    } else if (code == Code.NOAUTH) {
                        done.complete(List.of()); // the node counts as another owner's already
                    } else {
                        end(path, code, done);
                    }
                },
                null);
    }

    /** Ends the visit of a node without children: it has vanished, belongs to another owner, or the connection failed. */
    private void end(String path, @Nullable Code code, CompletableFuture<List<String>> done) {
        if (code == Code.NONODE) {
            done.complete(List.of());
        } else if (code == Code.NOAUTH) {
            countForeign(path, "another identity");
            done.complete(List.of());
        } else {
            done.completeExceptionally(KeeperException.create(code == null ? Code.SYSTEMERROR : code, path));
        }
    }

    private void judge(String path, List<ACL> list) {
        int own = 0;
        String writer = null;
        for (ACL entry : list) {
            if (identity.isOwn(entry.getId())) {
                own |= entry.getPerms();
            } else if ((entry.getPerms() & WRITE) != 0 && writer == null) {
                writer = ZooKeeperIdentity.text(entry.getId());
            }
        }
        if (own != Perms.ALL && (writer == null || !writer.startsWith("world:"))) {
            countForeign(path, writer == null ? "no identity with all rights" : writer);
        } else {
            countOwn(path, writer);
        }
    }

    private synchronized void count(boolean set) {
        nodes++;
        changed += set ? 1 : 0;
    }

    private synchronized void countForeign(String path, String owner) {
        nodes++;
        foreign++;
        if (firstForeign == null) {
            firstForeign = path + " belongs to " + owner;
        }
    }

    private synchronized void countOwn(String path, @Nullable String writer) {
        nodes++;
        if (writer != null) {
            open++;
            if (firstOpen == null) {
                firstOpen = path + " can be changed by " + writer;
            }
        }
    }
}
