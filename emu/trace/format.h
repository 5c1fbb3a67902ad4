/* The formats of the trace: temu writes them and tdiff reads them. Their grammar is in
 * docs/trace-format.md. */
#ifndef EMU_TRACE_FORMAT_H
#define EMU_TRACE_FORMAT_H

enum trace_format {
    TRACE_TEXT,
    TRACE_SPIKE,
    TRACE_JSON,
    TRACE_RISCV_DV,
    TRACE_RVVI,
    TRACE_LOSSLESS
};

/* Version of the text and json formats, in their headers. tdiff refuses other versions. */
#define TRACE_VERSION 1

#endif
