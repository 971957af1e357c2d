package io.uniserve.port.solr;

import io.uniserve.api.ActorFiles;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.ContentDigest;
import io.uniserve.api.SnapshotActor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.MultiBits;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.util.Bits;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.IndexDeletionPolicyWrapper;
import org.apache.solr.core.SolrCore;
import org.apache.solr.core.StandardDirectoryFactory;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.SolrIndexSearcher;
import org.apache.solr.update.CommitUpdateCommand;
import org.apache.solr.util.RefCounted;
import org.jspecify.annotations.Nullable;

/** One core, by its name. Operators see the newest commit, or the one whose searcher this holds. Searchers are counted. */
public final class SolrActor implements SnapshotActor<SolrActor>, AutoCloseable {
    private final CoreContainer container;
    private final String core;
    private final Path scratch;
    private final @Nullable RefCounted<SolrIndexSearcher> held;

    /** What was changed since the last publish, by uniqueKey. */
    final Set<String> changed = ConcurrentHashMap.newKeySet();

    SolrActor(CoreContainer container, String core, Path scratch, @Nullable RefCounted<SolrIndexSearcher> held) {
        this.held = held;
        this.container = container;
        this.core = core;
        this.scratch = scratch;
    }

    /** Something asked of, or done to, an open core; the request knows core, schema and searcher. */
    interface CoreWork<T> {
        T run(SolrQueryRequest request) throws Exception;
    }

    @Override
    public SolrActor snapshot() {
        return with(
                "hold",
                request -> new SolrActor(
                        container, core, scratch, request.getCore().getSearcher()));
    }

    /** Runs the work; the core stays open meanwhile. */
    <T> T with(String what, CoreWork<T> work) {
        return SolrEngine.SOLR.translated(what, () -> {
            try (SolrCore open = container.getCore(core)) {
                if (open == null) {
                    throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor is closed; try another replica");
                }
                try (SolrQueryRequest request = new LocalSolrQueryRequest(open, new ModifiableSolrParams()) {
                    @Override
                    public SolrIndexSearcher getSearcher() {
                        return held == null ? super.getSearcher() : held.get();
                    }
                }) {
                    return work.run(request);
                }
            }
        });
    }

    @Override
    public void publish() {
        if (!changed.isEmpty()) {
            with("commit", request -> {
                request.getCore().getUpdateHandler().commit(new CommitUpdateCommand(request, false));
                return request;
            });
            changed.clear();
        }
    }

    @Override
    public ActorUsage usage() {
        return with("measure", request -> {
            long rows = request.getSearcher().getIndexReader().numDocs();
            long bytes = request.getCore().getIndexSize();
            try (SolrQueryRequest now = new LocalSolrQueryRequest(request.getCore(), request.getParams())) {
                return held == null
                        ? new ActorUsage(rows, bytes, bytes)
                        : ActorUsage.ofView(rows, bytes, segments(request), segments(now));
            }
        });
    }

    /** The size of each segment, in documents. */
    private static Map<Object, Integer> segments(SolrQueryRequest request) {
        Map<Object, Integer> sizes = new HashMap<>();
        for (LeafReaderContext leaf : request.getSearcher().getIndexReader().leaves()) {
            sizes.put(leaf.reader().getCoreCacheHelper().getKey(), leaf.reader().maxDoc());
        }
        return sizes;
    }

    @Override
    public void writeTo(Path directory) {
        with("write a checkpoint", request -> {
            IndexDeletionPolicyWrapper policy = request.getCore().getDeletionPolicy();
            IndexCommit commit = policy.getAndSaveLatestCommit();
            try {
                return ActorFiles.link(Path.of(request.getCore().getIndexDir()), commit.getFileNames(), directory);
            } finally {
                policy.releaseCommitPoint(commit);
            }
        });
    }

    @Override
    public byte[] digest() {
        return with("compute the digest", request -> {
            ContentDigest digest = new ContentDigest();
            IndexReader reader = request.getSearcher().getIndexReader();
            Bits live = MultiBits.getLiveDocs(reader);
            for (int i = 0; i < reader.maxDoc(); i++) {
                if (live == null || live.get(i)) {
                    digest.add(reader.storedFields().document(i).toString());
                }
            }
            return digest.toBytes();
        });
    }

    @Override
    public void destroy() {
        close();
        SolrEngine.SOLR.translated("delete " + scratch, () -> ActorFiles.delete(scratch));
    }

    @Override
    public void close() {
        if (held != null) {
            held.decref();
        } else if (container.isLoaded(core)) {
            container.unload(core, false, false, false);
        }
    }

    /**
     * Directories whose commits do not wait for the disk: an actor's live files are deleted at every start, and the host
     * syncs the checkpoints that it keeps. Named in {@code solrconfig.xml}.
     */
    public static final class ScratchDirectories extends StandardDirectoryFactory {
        @Override
        protected Directory create(String path, LockFactory lockFactory, DirContext context) throws IOException {
            return new FilterDirectory(super.create(path, lockFactory, context)) {
                @Override
                public void sync(Collection<String> names) {}

                @Override
                public void syncMetaData() {}
            };
        }
    }
}
