// The only function of the modules for MPI, libpir_mpi_NAME.so. Each is compiled against the
// header of one MPI, whose handles and numbers are its own.
#ifndef PIR_MPI_MODULE_H
#define PIR_MPI_MODULE_H

#include <pir/comm.h>

#define PIR_MPI_SYMBOL "pir_mpi_open"

// Initialises MPI, unless the process has done that, and creates the world's communicator.
typedef pir_status (*pir_mpi_open_fn)(uint64_t timeout_ns, const pir_comm_call *call,
                                      pir_comm **out_comm);

#endif
