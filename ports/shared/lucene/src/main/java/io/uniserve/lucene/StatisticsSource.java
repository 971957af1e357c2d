package io.uniserve.lucene;

import java.io.IOException;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.TermStatistics;
import org.jspecify.annotations.Nullable;

/** Source of the statistics for scores: one index, or several. */
public interface StatisticsSource {
    /** Returns the statistics of a field; null if no document has a term in it. */
    @Nullable
    CollectionStatistics ofField(String field) throws IOException;

    /** Returns the statistics of a term; null if no document has it. */
    @Nullable
    TermStatistics ofTerm(Term term) throws IOException;
}
