package io.uniserve.lucene;

import java.io.IOException;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.TermStatistics;
import org.jspecify.annotations.Nullable;

/** Where the statistics for scores come from: an index, or several together. */
public interface StatisticsSource {
    /** Those of a field; null where no document has a term in it. */
    @Nullable
    CollectionStatistics ofField(String field) throws IOException;

    /** Those of a term; null where no document has it. */
    @Nullable
    TermStatistics ofTerm(Term term) throws IOException;
}
