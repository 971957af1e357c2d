package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.codec.CodePoints;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Documents by key, ascending by code point: a persistent B+ tree whose versions share nodes. A version is immutable. An old version costs
 * only the memory of the nodes that were replaced since. Thread-safe.
 */
final class KvTree {
    private static final int WIDTH = 32;
    static final KvTree EMPTY = new KvTree(new Node(new Object(), true), 0, 0);

    private final Node root;
    private final long size;
    private final long bytes;

    private KvTree(Node root, long size, long bytes) {
        this.root = root;
        this.size = size;
        this.bytes = bytes;
    }

    /** Node. A leaf has the keys of its documents; a branch has the smallest keys that its children may have. */
    private static final class Node {
        private final Object owner;
        private final boolean leaf;
        private int count;
        private String[] keys;
        private Object[] items;

        private Node(Object owner, boolean leaf) {
            this.owner = owner;
            this.leaf = leaf;
            this.keys = new String[WIDTH];
            this.items = new Object[WIDTH];
        }

        /** Returns the index of the key in a leaf, or of the child that may have it in a branch; otherwise -(index to insert) - 1. */
        private int indexOf(String key) {
            int at = Arrays.binarySearch(keys, 0, count, key, CodePoints.ORDER);
            return leaf || at >= 0 ? at : Math.max(0, -at - 2);
        }

        private Node child(int at) {
            return (Node) items[at];
        }

        private void insert(int at, String key, Object item) {
            System.arraycopy(keys, at, keys, at + 1, count - at);
            System.arraycopy(items, at, items, at + 1, count - at);
            keys[at] = key;
            items[at] = item;
            count++;
        }

        private void remove(int at) {
            System.arraycopy(keys, at + 1, keys, at, count - at - 1);
            System.arraycopy(items, at + 1, items, at, count - at - 1);
            count--;
            Arrays.fill(items, count, count + 1, null);
        }

        private Node copy(Object newOwner) {
            Node copy = new Node(newOwner, leaf);
            System.arraycopy(keys, 0, copy.keys, 0, count);
            System.arraycopy(items, 0, copy.items, 0, count);
            copy.count = count;
            return copy;
        }

        /** Moves the upper part to a new node. Ascending insertions leave full nodes. */
        private Node split(int insertedAt) {
            Node upper = new Node(owner, leaf);
            int from = insertedAt == count ? count - 1 : count / 2;
            upper.count = count - from;
            System.arraycopy(keys, from, upper.keys, 0, upper.count);
            System.arraycopy(items, from, upper.items, 0, upper.count);
            Arrays.fill(items, from, count, null);
            count = from;
            return upper;
        }
    }

    long size() {
        return size;
    }

    /** Estimated memory of the documents in bytes. */
    long bytes() {
        return bytes;
    }

    @Nullable
    Document get(String key) {
        return get(root, key);
    }

    private static @Nullable Document get(Node root, String key) {
        Node node = root;
        while (!node.leaf) {
            node = node.child(node.indexOf(key));
        }
        int at = node.indexOf(key);
        return at < 0 ? null : (Document) node.items[at];
    }

    /** Returns the documents from the first key at or after this one. */
    Iterator<Document> from(String key) {
        return new LeafIterator(root, key);
    }

    Editor edit() {
        return new Editor(this);
    }

    private static final class LeafIterator implements Iterator<Document> {
        private final Deque<Node> path = new ArrayDeque<>();
        private final Deque<Integer> positions = new ArrayDeque<>();

        private LeafIterator(Node root, String key) {
            Node node = root;
            while (!node.leaf) {
                int at = node.indexOf(key);
                push(node, at + 1);
                node = node.child(at);
            }
            int at = node.indexOf(key);
            push(node, at < 0 ? -at - 1 : at);
            advanceToDocument();
        }

        private void push(Node node, int place) {
            path.push(node);
            positions.push(place);
        }

        /** Advances until a leaf with a document is on top, or the end is reached. */
        private void advanceToDocument() {
            while (!path.isEmpty()) {
                Node node = path.element();
                int at = positions.element();
                if (at >= node.count) {
                    path.pop();
                    positions.pop();
                } else if (node.leaf) {
                    return;
                } else {
                    positions.pop();
                    positions.push(at + 1);
                    push(node.child(at), 0);
                }
            }
        }

        @Override
        public boolean hasNext() {
            return !path.isEmpty();
        }

        @Override
        public Document next() {
            if (path.isEmpty()) {
                throw new NoSuchElementException();
            }
            int at = positions.pop();
            Document next = (Document) path.element().items[at];
            positions.push(at + 1);
            advanceToDocument();
            return next;
        }
    }

    /** Editor that builds the next version. It changes nodes in place if no other version has them. Not thread-safe. */
    static final class Editor {
        private Object owner = new Object();
        private Node root;
        private long size;
        private long bytes;

        private Editor(KvTree base) {
            this.root = base.root;
            this.size = base.size;
            this.bytes = base.bytes;
        }

        @Nullable
        Document get(String key) {
            return KvTree.get(root, key);
        }

        void put(String key, Document document, long bytesMore) {
            root = editable(root);
            Node upper = put(root, key, document);
            if (upper != null) {
                Node above = new Node(owner, false);
                above.insert(0, root.keys[0], root);
                above.insert(1, upper.keys[0], upper);
                root = above;
            }
            bytes += bytesMore;
        }

        /** Returns the new node of a split, or null without a split. */
        private @Nullable Node put(Node node, String key, Document document) {
            int at = node.indexOf(key);
            if (node.leaf) {
                if (at >= 0) {
                    node.items[at] = document;
                    return null;
                }
                size++;
                at = -at - 1;
                node.insert(at, key, document);
                return node.count == WIDTH ? node.split(at + 1) : null;
            }
            if (CodePoints.compare(key, node.keys[at]) < 0) {
                node.keys[at] = key; // the new smallest key; a later split of this child must stay above it
            }
            Node child = editable(node.child(at));
            node.items[at] = child;
            Node upper = put(child, key, document);
            if (upper == null) {
                return null;
            }
            node.insert(at + 1, upper.keys[0], upper);
            return node.count == WIDTH ? node.split(at + 2) : null;
        }

        void remove(String key, long bytesLess) {
            if (get(key) != null) {
                root = editable(root);
                remove(root, key);
                while (!root.leaf && root.count == 1) {
                    root = root.child(0);
                }
                size--;
                bytes -= bytesLess;
            }
        }

        private void remove(Node node, String key) {
            int at = node.indexOf(key);
            if (node.leaf) {
                node.remove(at);
                return;
            }
            Node child = editable(node.child(at));
            node.items[at] = child;
            remove(child, key);
            if (child.count == 0) {
                node.remove(at);
            }
        }

        private Node editable(Node node) {
            return node.owner == owner ? node : node.copy(owner);
        }

        /** Returns the version so far; later changes do not affect it. */
        KvTree tree() {
            owner = new Object();
            return new KvTree(root, size, bytes);
        }
    }
}
