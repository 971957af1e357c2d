package io.uniserve.port.lucene;

import static io.uniserve.port.lucene.LuceneCheckpointFiles.LUCENE;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.lucene.UnsyncedDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.KeepOnlyLastCommitDeletionPolicy;
import org.apache.lucene.index.SnapshotDeletionPolicy;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;

/** Actor of the Lucene port: one Lucene index. Operators search the newest published state; a searcher in use stays valid. */
public final class LuceneActor implements Actor {
    private final Path scratch;
    private final int dimensions;
    private final Directory directory;
    private final SnapshotDeletionPolicy commits = new SnapshotDeletionPolicy(new KeepOnlyLastCommitDeletionPolicy());
    private final IndexWriter writer;
    private final SearcherManager searchers;

    /** Opens the index in the directory, or creates an empty one. */
    LuceneActor(Path scratch, int dimensions) throws IOException {
        this.scratch = scratch;
        this.dimensions = dimensions;
        this.directory = new UnsyncedDirectory(FSDirectory.open(scratch));
        this.writer = new IndexWriter(
                directory, new IndexWriterConfig(new StandardAnalyzer()).setIndexDeletionPolicy(commits));
        writer.commit();
        this.searchers = new SearcherManager(writer, new SearcherFactory());
    }

    /** Search over an index. */
    interface Search<T> {
        T run(IndexSearcher searcher) throws IOException;
    }

    /** Change of an index. */
    interface Change {
        void run(IndexWriter writer) throws IOException;
    }

    /** Length of every document's vector; 0 without vectors. */
    int dimensions() {
        return dimensions;
    }

    /** Searches the newest published state. */
    <T> T search(String what, Search<T> search) {
        return LUCENE.call(what, () -> {
            IndexSearcher searcher = searchers.acquire();
            try {
                return search.run(searcher);
            } finally {
                searchers.release(searcher);
            }
        });
    }

    /** Searches the newest published state for a query; the search ends with the query. */
    <T> T search(String what, OperatorContext context, Search<T> search) {
        return search(what, shared -> {
            IndexSearcher own = new IndexSearcher(shared.getIndexReader());
            own.setTimeout(() -> {
                context.checkActive();
                return false;
            });
            return search.run(own);
        });
    }

    /** Changes the index. Operators see the change after {@link #publish}. */
    void change(String what, Change change) {
        LUCENE.run(what, () -> change.run(writer));
    }

    @Override
    public void publish() {
        change("publish", index -> {
            index.commit();
            searchers.maybeRefreshBlocking();
        });
    }

    @Override
    public void writeTo(Path target) {
        change("write a checkpoint", index -> {
            IndexCommit commit = commits.snapshot();
            try {
                ActorFileLinker.link(scratch, commit.getFileNames(), target);
            } finally {
                commits.release(commit);
            }
        });
    }

    @Override
    public byte[] digest() {
        return search("compute the digest", LuceneDocumentConverter::digest);
    }

    /** An index is read through the page cache, so it needs as much memory as disk. */
    @Override
    public ActorUsage usage() {
        return search("measure", searcher -> {
            long bytes = LuceneCheckpointFiles.bytes(searcher.getIndexReader());
            return new ActorUsage(searcher.getIndexReader().numDocs(), bytes, bytes);
        });
    }

    boolean isClosed() {
        return !writer.isOpen();
    }

    @Override
    public void close() {
        LUCENE.run("close an index", () -> IOUtils.close(searchers, writer::rollback, directory));
    }

    @Override
    public void destroy() {
        close();
        LUCENE.run("delete " + scratch, () -> IOUtils.rm(scratch));
    }
}
