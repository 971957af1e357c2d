package io.uniserve.port.solr;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorFiles;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.ContentDigest;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.index.LeafReaderContext;
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
import org.apache.solr.update.CommitUpdateCommand;

/** One core, by its name. Operators see the newest commit; the searcher they use is counted and outlives it. */
public final class SolrActor implements Actor {
    private final CoreContainer container;
    private final String core;
    private final Path scratch;

    /** What was changed since the last publish, by uniqueKey. */
    final Set<String> changed = ConcurrentHashMap.newKeySet();

    SolrActor(CoreContainer container, String core, Path scratch) {
        this.container = container;
        this.core = core;
        this.scratch = scratch;
    }

    /** Something asked of, or done to, an open core; the request knows core, schema and searcher. */
    interface CoreWork<T> {
        T run(SolrQueryRequest request) throws Exception;
    }

    /** Runs the work; the core stays open meanwhile. */
    <T> T with(String what, CoreWork<T> work) {
        return SolrEngine.SOLR.translated(what, () -> {
            try (SolrCore open = container.getCore(core)) {
                if (open == null) {
                    throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor is closed; try another replica");
                }
                try (SolrQueryRequest request = new LocalSolrQueryRequest(open, new ModifiableSolrParams())) {
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
            DirectoryReader reader = request.getSearcher().getRawReader();
            Path index = Path.of(request.getCore().getIndexDir());
            long bytes = ActorFiles.bytes(index, reader.getIndexCommit().getFileNames());
            return new ActorUsage(reader.numDocs(), bytes, bytes);
        });
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
            for (LeafReaderContext leaf : request.getSearcher().getIndexReader().leaves()) {
                Bits live = leaf.reader().getLiveDocs();
                for (int i = 0; i < leaf.reader().maxDoc(); i++) {
                    if (live == null || live.get(i)) {
                        digest.add(leaf.reader().storedFields().document(i).toString());
                    }
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
        if (container.isLoaded(core)) {
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
